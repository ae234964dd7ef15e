import { z } from 'zod';
import { readContract } from '../contract/contract.mts';
import { describeErrors } from '../contract/details.mts';
import { compileSchema } from '../contract/validation.mts';
import { isObject } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';

/** Any JSON object. */
export function jsonObject(description: string) {
	return z.custom<JsonObject>(isObject, 'Expected object.').meta({ type: 'object', description });
}

/**
 * A field of the service, such as `DossierFields/properties/title`, with the rules and the sentences of the contract. `own`: members of
 * the schema that replace those of the contract.
 */
export function contractField<T>(pointer: string, own: JsonObject = {}) {
	const contract = readContract();
	const whole = contract.inline({ $ref: `#/components/schemas/${pointer}` });
	const schema = { ...contract.resolve(whole), ...own };
	let validate: ReturnType<typeof compileSchema<T>> | undefined;
	return z
		.custom<T>()
		.superRefine((value, context) => {
			// Most starts need few of them.
			validate ??= compileSchema<T>(schema);
			if (validate(value)) return;
			for (const { field, message } of describeErrors(validate.errors ?? [])) {
				const path = field === 'body' ? [] : field.split('.');
				context.addIssue({ code: 'custom', path, message });
			}
		})
		.meta(schema);
}

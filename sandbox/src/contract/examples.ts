import { readList, readMembers } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import type { Contract } from './contract.ts';

/** The example of a media type, or else of its schema. */
export function findExample(contract: Contract, content: JsonObject): Json | undefined {
	const [named] = readMembers(content.examples);
	const { examples } = contract.resolve(content.schema);
	return content.example ?? named?.[1].value ?? readList(examples)[0];
}

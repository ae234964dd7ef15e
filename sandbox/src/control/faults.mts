import type { Contract } from '../contract/contract.mts';
import { changesBody } from '../http/send-faulty.mts';
import type { FaultPlan } from '../requests/faults.mts';
import type { Service } from '../service.mts';
import type { Handlers } from './operation.mts';

/** How many faults are in force. */
export function countFaults({ faults, webhookFaults }: Service): number {
	return [...faults.list(), ...webhookFaults.list()].filter(({ spent }) => !spent).length;
}

/** What goes wrong on purpose with requests, and with webhook deliveries. */
export const faultHandlers: Handlers<'/faults' | '/webhook-faults'> = {
	'get /faults': ({ service }) => ({ data: service.faults.list() }),
	'post /faults': ({ service, body }) => {
		assertUseful(body, service.contract);
		return service.faults.add(body);
	},
	'delete /faults': ({ service }) => clear(service.faults),
	'delete /faults/{id}': ({ service, id }) => remove(service.faults, id),

	'get /webhook-faults': ({ service }) => ({ data: service.webhookFaults.list() }),
	'post /webhook-faults': ({ service, body }) => service.webhookFaults.add(body),
	'delete /webhook-faults': ({ service }) => clear(service.webhookFaults),
	'delete /webhook-faults/{id}': ({ service, id }) => remove(service.webhookFaults, id),
};

function clear(faults: { clear(): void }) {
	faults.clear();
	return { deleted: true };
}

function remove(faults: { remove(id: string): boolean }, id: string) {
	if (!faults.remove(id)) throw new RangeError(`There is no fault ${id}.`);
	return { id, deleted: true };
}

/** Throws a RangeError with a sentence for a fault that names no operation of the contract, or would do nothing. */
function assertUseful(plan: FaultPlan, contract: Contract): void {
	const known = contract.operations.map(({ id }) => id);
	if (plan.operation !== '*' && !known.includes(plan.operation)) {
		throw new RangeError(
			`There is no operation ${plan.operation}. There are * (all), ${known.join(', ')}.`,
		);
	}
	if (plan.early && plan.status === undefined && plan.text === undefined) {
		throw new RangeError('An early answer needs a status or a text.');
	}
	const { headers: set, status, text: page, delay_ms } = plan;
	if (!changesBody(plan) && [set, status, page, delay_ms].every((one) => one === undefined)) {
		throw new RangeError(
			'The fault does nothing. Give a status, a text, headers, delay_ms, connection, silent, body, cut_at, bytes_per_second or compress.',
		);
	}
}

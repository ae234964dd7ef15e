import type { Operation, Resource } from '../../execution/operation';
import { addressFields } from '../../execution/fields';
import { checkContract } from './checkContract';

/** */
const checkHealth: Operation = {
	name: 'Check Health',
	value: 'checkHealth',
	action: 'Check service health',
	description: 'Ask whether the service is up, without signing in',
	output: 'Health',
	fields: addressFields,
	async run({ api }) {
		return { json: await api.call('health.get') };
	},
};

export const service: Resource = {
	name: 'Service',
	value: 'service',
	description: 'The service itself',
	access: 'public',
	operations: [checkHealth, checkContract],
};

import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../problems/problem';
import type { Operation } from '../../execution/operation';
import { check } from './check/check';
import { report } from './check/report';

const fields: INodeProperties[] = [
	{
		displayName: 'Also Try Writing',
		name: 'tryWriting',
		type: 'boolean',
		default: false,
		description:
			'Whether to make a dossier with a few small documents, to learn what the service calls their fields, and delete it at the end, even after an error. Otherwise, the check only reads.',
	},
	{
		displayName: 'Write With a Live Key',
		name: 'writeLive',
		type: 'boolean',
		default: false,
		displayOptions: { show: { tryWriting: [true] } },
		description:
			'Whether to write even if the key in the credential reaches production data (sk_live_)',
	},
];

/** Compares the service with docs/contract.md, and finds its dialect. */
export const checkContract: Operation = {
	name: 'Check Contract',
	value: 'checkContract',
	action: 'Check service contract',
	description:
		'Compare the service with what this package assumes, and find the dialect that it speaks',
	access: 'key',
	output: {
		assumption: 'string',
		title: 'string',
		verdict: 'string',
		seen: 'string',
		tells: 'string',
		dialect: 'string',
		page: 'string',
		requests: 'number',
		left: 'string',
		questions: 'array',
	},
	fields,
	async run({ parameters, api }) {
		const isWriting = parameters.flag('tryWriting');
		if (isWriting && api.isLive && !parameters.flag('writeLive')) {
			throw new Problem('LIVE_KEY_MAY_NOT_WRITE', {});
		}
		return report(await check(api, isWriting)).map((json) => ({ json }));
	},
};

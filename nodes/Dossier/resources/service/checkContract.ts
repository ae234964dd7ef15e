import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from '../../execution/operation';
import { Problem } from '../../problems/problem';
import { check } from './check/check';
import { writePage } from './check/page';

const fields: INodeProperties[] = [
	{
		displayName: 'Also Try Writing',
		name: 'tryWriting',
		type: 'boolean',
		default: false,
		description:
			'Whether to make a dossier with one or two small documents, read and download them, and remove everything at the end, even after an error. Otherwise, the check only reads.',
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

/** Reports what the service answers, beside what docs/contract.md expects and what the dialect in the credential says. */
export const checkContract: Operation = {
	name: 'Check Contract',
	value: 'checkContract',
	action: 'Check service contract',
	description:
		'Report what the service answers, beside what this package expects and what your dialect says',
	access: 'key',
	output: {
		what: 'string',
		result: 'string',
		expected: 'string',
		exchanges: 'array',
		found: 'array',
		missing: 'array',
		unknown: 'array',
		problems: 'array',
		page: 'string',
		dialect: 'array',
		limit: 'string',
		requests: 'number',
		left: 'array',
	},
	fields,
	async run({ parameters, api }) {
		const isWriting = parameters.flag('tryWriting');
		if (isWriting && api.isLive && !parameters.flag('writeLive')) {
			throw new Problem('LIVE_KEY_MAY_NOT_WRITE', {});
		}
		const checked = await check(api, isWriting);
		const { parts: dialect, left, recorder } = checked;
		const { findings, requests, limit } = recorder;
		const summary = { page: writePage(checked), dialect, limit, requests, left };
		return [...findings.map((finding) => ({ ...finding })), summary].map((json) => ({ json }));
	},
};

import { failPermanently } from './misbehavior.mts';
import type { Misbehavior } from './misbehavior.mts';
import { empty, json, page, refusal, withHeaders } from '../service/replies.mts';

/** Answers that are not what was asked for. */
export const content: Misbehavior[] = [
	{
		name: 'answers every call with a web page and 200',
		plan: () => ({ instead: () => page(200) }),
		ends: ({ answer }) => ({ failure: answer === 'file' ? 'garbled' : 'notTheService', done: [0] }),
		meets: ({ call }) => call !== 'files.get',
	},
	{
		name: 'answers reading with an empty 200',
		meets: ({ method, call }) => method === 'GET' && call !== 'files.get',
		plan: () => ({ instead: () => empty(200, { 'content-type': 'application/json' }) }),
		ends: () => ({ failure: 'garbled', done: [0] }),
	},
	{
		name: 'answers with 204 and nothing',
		meets: ({ method }) => method === 'DELETE',
		plan: () => ({ change: () => empty(204) }),
	},
	{
		name: 'puts the record into an envelope that nobody knows',
		meets: ({ answer, call }) =>
			answer === 'record' && call.endsWith('.get') && call !== 'health.get',
		plan: () => ({
			change: (reply) =>
				json(200, { outcome: { found: JSON.parse(reply.body.toString()) as unknown } }),
		}),
		ends: () => ({ mayFail: 'notTheService', done: [0] }),
	},
	{
		name: 'puts another list before the records',
		meets: ({ answer }) => answer === 'list',
		plan: () => ({
			change: (reply) => {
				const { data, pagination } = JSON.parse(reply.body.toString()) as Record<string, unknown>;
				return json(200, { warnings: [], records: data, pagination });
			},
		}),
	},
	{
		name: 'redirects the call to another address',
		meets: ({ answer }) => answer !== 'file',
		plan: () => ({
			instead: ({ headers: { host = '' } }) => {
				const elsewhere = host.replace('127.0.0.1', 'localhost');
				return empty(307, { location: `http://${elsewhere}/v1/elsewhere` });
			},
		}),
		ends: failPermanently('redirected', 0),
	},
	{
		name: 'answers with an error object and 200',
		plan: () => ({ instead: () => ({ ...refusal(409, 'CONFLICT', 'Not now'), status: 200 }) }),
		meets: ({ call }) => call !== 'files.get' && call !== 'health.get',
		ends: () => ({ failure: 'refusedWithGoodStatus', done: [0] }),
	},
	{
		name: 'answers a reading with an empty list',
		meets: ({ answer, method, call }) =>
			answer === 'record' && method === 'GET' && call.endsWith('.get'),
		plan: () => ({ instead: () => json(200, []) }),
		ends: () => ({ failure: 'notTheService', done: [0] }),
	},
	{
		name: 'begins its JSON with a byte order mark',
		meets: ({ answer }) => answer !== 'file',
		plan: () => ({
			change: (reply) => ({ ...reply, body: Buffer.concat([Buffer.from('\uFEFF'), reply.body]) }),
		}),
	},
	{
		name: 'calls its JSON plain text',
		meets: ({ answer }) => answer !== 'file',
		plan: () => ({ change: (reply) => withHeaders(reply, { 'content-type': 'text/plain' }) }),
	},
	{
		name: 'refuses with 2 MB of explanation',
		meets: ({ call, job }) => call !== 'files.get' && !job.operation.startsWith('portalSignIn'),
		plan: () => ({ instead: () => ({ ...page(404), body: Buffer.alloc(2_000_000, 'No. ') }) }),
		ends: () => ({ failure: 'notFound', done: [0] }),
	},
];

import { Agent, createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import axios from 'axios';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http/dist/utils/operations';
import { validateOutput } from '@stoplight/prism-http/dist/validator';
import { closeServer, listen } from '../src/http/server.mts';

type Operations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>;

/** Stands between a client and a sandbox, and has Prism check each answer against the contract that the sandbox serves. */
export interface CheckingProxy {
	url: string;
	/** The breaches of the contract, as sentences. */
	complaints: string[];
	/** The operations that were answered with success. */
	answered: Set<string>;
	/** Reads the contract that is in force now, or the description of the control room. */
	learn(document?: 'openapi' | 'control'): Promise<void>;
	close(): Promise<void>;
}

export async function openCheckingProxy(sandbox: { url: string }): Promise<CheckingProxy> {
	const complaints: string[] = [];
	const answered = new Set<string>();
	let operations: Operations = [];
	const server = createServer((incoming, outgoing) => {
		const { method, headers, url: path = '' } = incoming;
		const sent = request(`${sandbox.url}${path}`, { method, headers, agent: false }, (answer) => {
			void buffer(answer).then((body) => {
				check(incoming, answer, body);
				outgoing.writeHead(answer.statusCode ?? 0, answer.rawHeaders).end(body);
			});
		});
		sent.on('error', () => outgoing.destroy());
		incoming.pipe(sent);
	});

	function check(
		{ method = '', url = '' }: IncomingMessage,
		answer: IncomingMessage,
		body: Buffer,
	) {
		const { statusCode = 0, headers } = answer;
		const [path = ''] = url.split('?');
		const operation = operations.find(
			(one) => one.method === method.toLowerCase() && toPattern(one.path).test(path),
		);
		if (!operation) {
			if (statusCode !== 404) complaints.push(`${method} ${path} is in no contract.`);
			return;
		}
		if (statusCode < 400) answered.add(operation.iid ?? '');
		const isJson = headers['content-type']?.startsWith('application/json') === true;
		const element = {
			statusCode,
			headers: Object.fromEntries(
				Object.entries(headers).map(([name, value]) => [name, String(value)]),
			),
			body: isJson ? JSON.parse(body.toString()) : body.toString() || undefined,
		};
		const result = validateOutput({ resource: operation, element });
		if (result._tag === 'Right') return;
		for (const { message, path: at = [] } of result.left) {
			complaints.push(`${operation.iid} ${statusCode} ${at.join('.')}: ${message}`);
		}
	}

	const port = await listen(server, 0, '127.0.0.1');
	return {
		url: `http://127.0.0.1:${port}`,
		complaints,
		answered,
		learn: async (document = 'openapi') => {
			const url = `${sandbox.url}/_sandbox/${document}.json`;
			const { data } = await axios.get<object>(url, { httpAgent: new Agent({ keepAlive: false }) });
			operations = await getHttpOperationsFromSpec(data);
		},
		close: async () => await closeServer(server),
	};
}

function toPattern(path: string): RegExp {
	return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`);
}

/** A server that speaks OpenAI's protocol for chats, and answers as a script says. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Message {
	role: string;
	content: unknown;
	tool_calls?: unknown[];
}

/** A request to a model: the messages until now, and the tools that it may call. */
interface Asked {
	messages: Message[];
	tools: Array<{
		function: { name: string; description: string; parameters: Record<string, unknown> };
	}>;
}

/** What a model says: a call of a tool, or its last word. */
type Reply = { tool: string; given: Record<string, unknown> } | { text: string };

/** Decides on the next reply by what the tools gave until now, as text. */
type Script = (results: string[], asked: Asked) => Reply;

export interface ModelServer {
	/** For the field Base URL of the credential. */
	url: string;
	/** Everything that the model was asked, in order. */
	asked: Asked[];
	close(): Promise<void>;
}

/** What a message holds, as text. */
export const textOf = ({ content }: Message): string =>
	typeof content === 'string' ? content : JSON.stringify(content);

function toMessage(reply: Reply, index: number) {
	if ('text' in reply) return { role: 'assistant', content: reply.text };
	const { tool: name, given } = reply;
	const called = { name, arguments: JSON.stringify(given) };
	const call = { index: 0, id: `call_${index}`, type: 'function', function: called };
	return { role: 'assistant', content: null, tool_calls: [call] };
}

/** Starts the server on this machine. */
export async function startModelServer(script: Script): Promise<ModelServer> {
	const asked: Asked[] = [];
	const server = createServer((request, response) => {
		void json(request).then((body) => {
			const { stream, ...one } = body as Asked & { stream?: boolean };
			asked.push(one);
			const results = one.messages.filter(({ role }) => role === 'tool').map(textOf);
			const message = toMessage(script(results, one), asked.length);
			const finish = 'tool_calls' in message ? 'tool_calls' : 'stop';
			const answer = { id: `chat_${asked.length}`, created: 1, model: 'scripted' };
			if (!stream) {
				response.setHeader('Content-Type', 'application/json');
				response.end(
					JSON.stringify({
						...answer,
						object: 'chat.completion',
						choices: [{ index: 0, message, finish_reason: finish }],
						usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
					}),
				);
				return;
			}
			response.setHeader('Content-Type', 'text/event-stream');
			const send = (choice: object) => {
				const chunk = { ...answer, object: 'chat.completion.chunk', choices: [choice] };
				response.write(`data: ${JSON.stringify(chunk)}\n\n`);
			};
			send({ index: 0, delta: message, finish_reason: null });
			send({ index: 0, delta: {}, finish_reason: finish });
			response.end('data: [DONE]\n\n');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		asked,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** A service that calls everything otherwise, written without the package's own code. */
import type { IncomingMessage } from 'node:http';
import { answerJson, readBody, startFake } from '../fakeService.mts';
import { speaking } from '../requests.mts';
import { isReply, parse, refuse } from './manners.mts';
import type { Json, Manners, Reply } from './manners.mts';

interface Store {
	dossiers: Json[];
	documents: Array<Json & { bytes: Buffer }>;
	tasks: Json[];
}

/**
 * @param number what a record has beside its own fields; the service gives it
 * @param version that a change has to name in If-Match
 */
export async function startForeignService(
	manners: Manners,
	{ number = () => ({}), version }: { number?: (id: number) => Json; version?: string } = {},
) {
	const store: Store = { dossiers: [], documents: [], tasks: [] };
	let count = 0;
	let tellUpload: () => void = () => undefined;
	const upload = new Promise<void>((resolve) => (tellUpload = resolve));
	const add = (fields: Json): Json => ({
		...number(count + 1),
		[manners.idName]: ++count,
		...fields,
		made: '2026-01-01T00:00:00Z',
	});

	function listStored(kind: string | undefined): Json[] {
		if (kind === 'dossiers') return store.dossiers;
		return kind === 'tasks' ? store.tasks : store.documents;
	}

	async function answer(request: IncomingMessage, url: URL): Promise<Reply | Buffer> {
		const [, , kind, id, part] = url.pathname.split('/');
		const records = listStored(kind);
		const record = records.find((one) => String(one[manners.idName]) === id);
		if (part === 'documents') {
			const own = store.documents.filter(({ dossier }) => dossier === id);
			if (request.method === 'GET') return manners.list(own, url.searchParams);
			tellUpload();
			const read = await manners.document(request, await readBody(request));
			if (isReply(read)) return read;
			const described = { ...read.fields, ...manners.describe(read.bytes), dossier: id };
			const document = Object.assign(add(described), { bytes: read.bytes });
			store.documents.push(document);
			return manners.one(document, 201);
		}
		if (!id && request.method === 'GET') return manners.list(records, url.searchParams);
		if (!id) {
			const fields = manners.fields(parse(await readBody(request)));
			if (isReply(fields)) return fields;
			const created = add(fields);
			records.push(created);
			return manners.one(created, 201);
		}
		if (!record) return refuse(404, 'Nothing is there');
		if (part === 'download')
			return (
				manners.download?.() ??
				store.documents.find((one) => one === record)?.bytes ??
				refuse(404, 'No file')
			);
		if (request.method === 'DELETE') {
			records.splice(records.indexOf(record), 1);
			return [204, undefined];
		}
		if (request.method === 'PUT') {
			const fields = manners.fields(parse(await readBody(request)));
			if (isReply(fields)) return fields;
			for (const name of Object.keys(record))
				if (![manners.idName, 'made'].includes(name)) delete record[name];
			Object.assign(record, fields);
		}
		return manners.one(record, 200);
	}

	const service = await startFake(async (request, response) => {
		const url = new URL(request.url ?? '/', 'http://service');
		if (version) response.setHeader('ETag', version);
		const isGuarded = version && ['PUT', 'DELETE'].includes(request.method ?? '');
		if (isGuarded && request.headers['if-match'] !== version) return answerJson(response, 428, {});
		const reply = await answer(request, url).catch(() => refuse(400, 'The body cannot be read'));
		if (Buffer.isBuffer(reply))
			return response.writeHead(200, { 'Content-Type': 'text/plain' }).end(reply);
		const [status, body] = reply;
		if (body !== undefined) return answerJson(response, status, body);
		return response.writeHead(status, { 'Content-Type': 'application/json' }).end();
	});
	return {
		store,
		credential: { ...service.credential, ...speaking(manners.dialect) },
		/** How many requests came. */
		countRequests: () => service.requests.length,
		/** Resolves when the first upload comes. */
		upload,
		stop: service.stop,
	};
}

/**
 * The part that all services of other makers share: they store records, refuse unknown fields, write an audit log and deliver
 * events. The file of each service says how it writes things. Nothing here uses the package's own code.
 */
import axios from 'axios';
import type { IncomingMessage } from 'node:http';
import { answerJson, readBody, sha256, startFake } from '../integration/fakeService.mts';
import type { Handler } from '../integration/fakeService.mts';
import { speaking } from '../integration/requests.mts';
import { getField, parse, Refused, refuseUnknown } from './manners.mts';
import type { Json, Kind, Manners, Stored } from './manners.mts';

interface Answer {
	status?: number;
	headers?: Record<string, string | undefined>;
	/** JSON, or a file; none if it is absent. */
	body?: Json | Buffer;
}

type Handle = (
	request: IncomingMessage,
	asked: { id: string; query: URLSearchParams },
) => Answer | Promise<Answer>;

/** Starts a service of another maker. */
export async function startForeign(manners: Manners) {
	const held: Record<Kind, Stored[]> = {
		dossiers: [],
		documents: [],
		tasks: [],
		'audit-log': [],
		webhooks: [],
	};
	const readId = (id: string) => manners.readId?.(id) ?? id;
	const refused: string[] = [];
	let ids = 1000;

	function add(kind: Kind, fields: Json, more: Partial<Stored> = {}): Stored {
		const record = { id: ++ids, fields, made: Date.now(), ...more };
		held[kind].push(record);
		return record;
	}

	async function post(address: string, event: string, data: Json, secret: string): Promise<void> {
		const body = JSON.stringify({ event, created_at: new Date().toISOString(), data });
		const headers = { 'Content-Type': 'application/json', ...manners.sign(body, secret) };
		await axios.post(address, body, { headers, validateStatus: () => true });
	}

	/** Writes an event into the audit log, and delivers it to the webhooks that ask for it. */
	async function emit(event: string, record: Stored, data: Json): Promise<void> {
		add('audit-log', manners.describeEntry(event, record));
		for (const { fields } of held.webhooks) {
			const { address, events, secret } = manners.readWebhook(fields);
			if (!events.includes(event)) continue;
			await post(address, event, data, secret);
		}
	}

	const find = (kind: Kind, id: string | undefined) => {
		const found = held[kind].find((one) => String(one.id) === id);
		if (!found) throw new Refused(404, `There is no ${id} in ${kind}`);
		return found;
	};

	function remove(kind: Kind, record: Stored): void {
		held[kind] = held[kind].filter((one) => one !== record);
		if (kind === 'dossiers')
			held.documents = held.documents.filter(({ dossier }) => dossier !== record.id);
	}

	async function write(request: IncomingMessage, kind: Kind, id?: string): Promise<Json> {
		const fields = parse(await readBody(request));
		refuseUnknown(Object.keys(fields), manners.fields[kind]);
		manners.check?.(kind, request.method ?? '', fields);
		const record = id === undefined ? add(kind, fields) : find(kind, id);
		record.fields = request.method === 'PATCH' ? { ...record.fields, ...fields } : fields;
		if (kind === 'webhooks' && manners.makeSecret && id === undefined)
			record.fields.secret = manners.makeSecret();
		if (kind === 'dossiers' && id === undefined)
			await emit('dossier.created', record, manners.describeCreated(record));
		return manners.one(kind, manners.show(kind, record), {});
	}

	async function upload(request: IncomingMessage, id: string | undefined): Promise<Json> {
		const dossier = find('dossiers', id).id;
		const type = request.headers['content-type'] ?? '';
		const { fields, file, beside } = await manners.upload(type, await readBody(request));
		refuseUnknown(Object.keys(fields), manners.fields.documents);
		const document = add('documents', fields, { dossier, file });
		if (file) await complete(document);
		return manners.one('documents', manners.show('documents', document), beside?.(document) ?? {});
	}

	const complete = async (document: Stored) =>
		await emit('document.uploaded', document, {
			document_id: String(document.id),
			dossier_id: String(document.dossier),
			uploaded_by: '7',
			category: 'other',
		});

	/** Answers what a handler gives, or why the service refuses the request. */
	const guard =
		(handle: Handle): Handler =>
		async (request, response, asked) => {
			const id = readId(asked.id);
			try {
				if (request.headers.authorization !== 'Bearer sk_test_x') throw new Refused(401, 'No key');
				const { status = 200, headers = {}, body } = await handle(request, { ...asked, id });
				for (const [name, value] of Object.entries(headers))
					if (value !== undefined) response.setHeader(name, value);
				if (body === undefined || Buffer.isBuffer(body)) response.writeHead(status).end(body);
				else answerJson(response, status, body);
			} catch (error) {
				const { status, message, details } =
					error instanceof Refused ? error : new Refused(500, String(error));
				refused.push(`${request.method} ${request.url}: ${message}`);
				answerJson(response, status, { error: { code: 'REFUSED', message, status }, ...details });
			}
		};

	const list = (kind: Kind, records: Stored[], query: URLSearchParams): Answer => {
		const [body, headers] = manners.list(kind, records, query);
		return { body, headers };
	};
	const change =
		(kind: Kind): Handle =>
		async (request, { id }) => ({
			body: await write(request, kind, id),
		});

	/** The routes of the records of a kind. */
	const listRoutes = (kind: Kind, path = `/v1/${kind}`): Array<[string, Handle]> => [
		[`GET ${path}`, (_, { query }) => list(kind, held[kind], query)],
		[`POST ${path}`, async (request) => ({ status: 201, body: await write(request, kind) })],
		[
			`GET ${path}/{id}`,
			(_, { id }) => ({ body: manners.one(kind, manners.show(kind, find(kind, id)), {}) }),
		],
		[`PUT ${path}/{id}`, change(kind)],
		[`PATCH ${path}/{id}`, change(kind)],
		[
			`DELETE ${path}/{id}`,
			(_, { id }) => {
				remove(kind, find(kind, id));
				return { status: 204 };
			},
		],
	];
	const fileRoutes: Record<string, Handle> = {
		'GET /v1/dossiers/{id}/documents': (_, { id, query }) => {
			const own = held.documents.filter(({ dossier }) => String(dossier) === id);
			return list('documents', own, query);
		},
		'POST /v1/dossiers/{id}/documents': async (request, { id }) => ({
			status: 201,
			body: await upload(request, id),
		}),
		'POST /v1/documents/{id}/complete': async (_, { id }) => {
			const document = find('documents', id);
			if (!document.file) throw new Refused(409, 'The file is not there');
			await complete(document);
			return { body: {} };
		},
		'GET /v1/documents/{id}/download': (_, { id }) => {
			const document = find('documents', id);
			if (manners.download)
				return { status: 302, headers: { Location: manners.download(document) } };
			return { headers: { 'Content-Type': 'text/plain' }, body: document.file };
		},
	};
	const routes = [
		...(['dossiers', 'documents', 'tasks', 'audit-log'] as const).flatMap((kind) =>
			listRoutes(kind),
		),
		...(manners.webhooks ? listRoutes('webhooks', manners.webhooks) : []),
		...Object.entries(fileRoutes),
	];
	const service = await startFake(
		Object.fromEntries(routes.map(([route, handle]) => [route, guard(handle)])),
	);
	return {
		...service,
		held,
		/** Whether a person registers addresses. */
		isManual: manners.webhooks === undefined,
		/** The refused requests, each with its reason. */
		refused,
		credential: { ...service.credential, ...speaking(manners.dialect), ...manners.credential },
		/** The documents of a dossier, as `name checksum`. */
		listFiles: (dossier: unknown, name: string) =>
			held.documents
				.filter((one) => String(one.dossier) === readId(String(dossier)))
				.map(
					({ fields, file }) =>
						`${String(getField(fields, name))} ${file ? sha256(file) : 'no file'}`,
				)
				.sort(),
		/** Sends an event that is signed with another secret. */
		forge: async (address: string, event: string) =>
			await post(
				address,
				event,
				{ document_id: 'forged' },
				Buffer.from('forged').toString('base64'),
			),
	};
}

export type Foreign = Awaited<ReturnType<typeof startForeign>>;

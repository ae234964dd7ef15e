/** A service that keeps dossiers and documents in memory and leaves out whatever it may, written without the contract's file. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toText } from '../../nodes/Dossier/api/values';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

/** How the service behaves; all of it may change while it runs. */
interface Habits {
	/** Lists give the id and these fields alone. */
	listFields?: string[];
	/** Whether documents have their SHA-256. */
	hasChecksums: boolean;
	ignoresFilters: boolean;
	/** Reading one dossier is answered with 200 and this instead. */
	readAnswer?: string;
	/** Statuses of the next uploads, before they succeed. */
	uploadStatuses: number[];
	/** The next uploads are stored, but their answers break off. */
	brokenAnswers: number;
	/** The connections of the next uploads are closed after so many bytes, and what came is stored. */
	cutUploads: Array<number | undefined>;
	/** How the service writes the name of a stored file. */
	nameFile: (name: string) => string;
	/** How it writes a checksum. */
	writeChecksum: (hex: string) => string;
	/** At this write, counted from now on, the service tells somebody and answers nothing more; `isDone` if it is carried out. */
	breakAt?: { write: number; isDone: boolean; then: () => void };
	/** Fields of a dossier that the service does not know: it takes them, and stores nothing. */
	ignoredFields: string[];
	/** A change is answered with the record as it was before. */
	isLate?: boolean;
	/** What a service stores in place of a text. */
	storeText: (text: string) => string;
	/** What is stored of an upload, if not the whole. */
	keptBytes?: number;
}

export interface PlainService {
	habits: Habits;
	dossiers: Map<string, IDataObject>;
	documents: Map<string, IDataObject & { content: Buffer }>;
	/** Every request as `METHOD path`, in order. */
	requests: string[];
	credential: ICredentialDataDecryptedObject;
	stop(): Promise<void>;
}

/** Reads the body of a request, and no more than so many bytes of it. */
async function readText(request: IncomingMessage, most = Infinity): Promise<string> {
	const pieces: Buffer[] = [];
	let size = 0;
	for await (const piece of request.iterator({ destroyOnReturn: false })) {
		pieces.push(piece as Buffer);
		size += (piece as Buffer).length;
		if (size >= most) break;
	}
	return Buffer.concat(pieces).toString();
}

async function readJson(request: IncomingMessage): Promise<IDataObject> {
	const text = await readText(request);
	return (text ? JSON.parse(text) : {}) as IDataObject;
}

export async function startPlainService(): Promise<PlainService> {
	const habits: Habits = {
		hasChecksums: true,
		ignoresFilters: false,
		uploadStatuses: [],
		brokenAnswers: 0,
		cutUploads: [],
		nameFile: (name) => name,
		writeChecksum: (hex) => hex,
		ignoredFields: [],
		storeText: (text) => text,
	};
	const dossiers: PlainService['dossiers'] = new Map();
	const documents: PlainService['documents'] = new Map();
	const requests: string[] = [];

	const show = ({ content: _, ...document }: IDataObject): IDataObject => {
		if (habits.hasChecksums) return document;
		const { checksum_sha256: __, ...rest } = document;
		return rest;
	};

	function list(records: IDataObject[], query: URLSearchParams): IDataObject {
		const filters = [...query].filter(
			([name]) => !['page', 'per_page', 'sort', 'order'].includes(name),
		);
		const matching = records.filter((record) =>
			filters.every(
				([name, value]) =>
					habits.ignoresFilters || toText(record[name])?.toLowerCase() === value.toLowerCase(),
			),
		);
		const { listFields } = habits;
		const data = matching.map((record) =>
			listFields
				? Object.fromEntries(['id', ...listFields].map((name) => [name, record[name]]))
				: record,
		);
		return query.get('page') === '1' ? { data } : { data: [] };
	}

	/** What is stored of a dossier that was sent. */
	function store(sent: IDataObject, before: IDataObject = {}): IDataObject {
		const stored = Object.entries(sent).map(([name, value]) => [
			name,
			typeof value === 'string' ? habits.storeText(value) : value,
		]);
		const kept = habits.ignoredFields.map((name) => [name, before[name]]);
		return Object.fromEntries([...stored, ...kept]) as IDataObject;
	}

	async function upload(
		request: IncomingMessage,
		dossierId: string,
	): Promise<[number, IDataObject]> {
		const cutAt = habits.cutUploads.shift();
		const text = await readText(request, cutAt);
		const { content_base64: encoded, ...fields } = JSON.parse(
			cutAt === undefined ? text : `${text}"}`,
		) as IDataObject;
		const status = habits.uploadStatuses.shift();
		if (status) return [status, { error: { code: 'BROKEN', message: 'Not now', status } }];
		const content = Buffer.from(toText(encoded) ?? '', 'base64').subarray(0, habits.keptBytes);
		const id = `doc_${randomUUID()}`;
		const checksum = createHash('sha256').update(content).digest('hex');
		const document = {
			id,
			dossier_id: dossierId,
			...fields,
			size_bytes: content.length,
			checksum_sha256: habits.writeChecksum(checksum),
			file_name: habits.nameFile(toText(fields.file_name) ?? ''),
		};
		documents.set(id, { ...document, content });
		if (cutAt !== undefined || habits.brokenAnswers-- > 0) return [0, {}];
		return [201, show(document)];
	}

	async function answer(
		request: IncomingMessage,
		url: URL,
	): Promise<[number, IDataObject | string | Buffer]> {
		const [, , kind, id = '', part] = url.pathname.split('/');
		const records = kind === 'dossiers' ? dossiers : documents;
		if (kind === 'dossiers' && part === 'documents') {
			if (request.method === 'POST') return await upload(request, id);
			const own = [...documents.values()].filter((one) => one.dossier_id === id).map(show);
			return [200, list(own, url.searchParams)];
		}
		const record = records.get(id);
		if (request.method === 'POST') {
			const created = { id: `dos_${randomUUID()}`, ...store(await readJson(request)) };
			dossiers.set(created.id, created);
			return [201, created];
		}
		if (!id) return [200, list([...records.values()].map(show), url.searchParams)];
		if (!record)
			return [404, { error: { code: 'NOT_FOUND', message: 'Nothing is there', status: 404 } }];
		if (part === 'download') return [200, documents.get(id)?.content ?? ''];
		if (request.method === 'DELETE') {
			records.delete(id);
			return [200, { id, deleted: true }];
		}
		if (request.method === 'PUT') {
			const replaced = { id, ...store(await readJson(request), record) };
			dossiers.set(id, replaced);
			return [200, habits.isLate ? record : replaced];
		}
		return [200, kind === 'dossiers' ? (habits.readAnswer ?? record) : show(record)];
	}

	/** Whether the service answers nothing to a request. */
	async function breaks(request: IncomingMessage, url: URL): Promise<boolean> {
		const { breakAt } = habits;
		if (!breakAt || request.method === 'GET' || --breakAt.write > 0) return false;
		if (breakAt.write === 0 && breakAt.isDone) await answer(request, url);
		breakAt.then();
		return true;
	}

	const server = createServer((request, response) => {
		const url = new URL(request.url ?? '/', 'http://service');
		requests.push(`${request.method} ${url.pathname}`);
		const answering = breaks(request, url).then(async (isBroken) =>
			isBroken ? ([0, ''] as const) : await answer(request, url),
		);
		void answering.then(([status, body]) => {
			if (status === 0) return request.socket.destroy();
			const isText = typeof body === 'string' || Buffer.isBuffer(body);
			response.writeHead(status, {
				'Content-Type': Buffer.isBuffer(body) ? 'text/plain' : 'application/json',
			});
			response.end(isText ? body : JSON.stringify(body));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		habits,
		dossiers,
		documents,
		requests,
		credential: {
			environment: 'production',
			baseUrl: `http://127.0.0.1:${port}/v1`,
			apiKey: 'sk_test_plain',
			organizationId: 'org_plain',
			rateLimit: 'off',
		},
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

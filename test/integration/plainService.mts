/** A service that keeps dossiers and documents in memory and leaves out whatever it may. It does not use the contract's file. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { answerJson, readJson, sha256, startFake } from './fakeService.mts';
import type { FakeService, Handler } from './fakeService.mts';
import { runDossier } from './n8n.mts';
import type { Run } from './n8n.mts';
import { useStarted } from './started.mts';

/** How the service behaves; all of it may change while it runs. */
interface Habits {
	/** Lists give the id and these fields alone. */
	listFields?: string[];
	/** Whether documents have their SHA-256. */
	hasChecksums: boolean;
	ignoresFilters: boolean;
	/** Statuses of the next uploads, before they succeed. */
	uploadStatuses: number[];
	/** The next uploads are stored, but their answers break off. */
	brokenAnswers: number;
	/** The connections of the next uploads are closed after this many bytes, which are stored. */
	cutUploads: Array<number | undefined>;
	/** How the service writes the name of a stored file. */
	nameFile: (name: string) => string;
	/** How it writes a checksum. */
	writeChecksum: (hex: string) => string;
	/** Fields of a dossier that the service does not know: it takes them, and stores nothing. */
	ignoredFields: string[];
	/** A change is answered with the record as it was before. */
	isLate?: boolean;
	/** Gives the text that the service stores in place of the one that it gets. */
	storeText: (text: string) => string;
	/** An upload becomes a new version of the document with the same name, and gets its id. */
	hasVersions?: boolean;
	/** Lists of documents begin with the newest. */
	isNewestFirst?: boolean;
	/** How many bytes of an upload are stored, if not all. */
	keptBytes?: number;
	/** Documents show when they were made. */
	hasTimes?: boolean;
}

export interface PlainService extends Pick<FakeService, 'credential' | 'stop'> {
	handlers: Record<string, Handler>;
	habits: Habits;
	dossiers: Map<string, IDataObject>;
	documents: Map<string, IDataObject & { content: Buffer }>;
	/** Every request so far as `METHOD path`, in order. */
	readonly requests: string[];
}

/** Reads the body of a request, up to about this many bytes. */
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

async function startPlainService(): Promise<PlainService> {
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

	/** The dossier that the service stores if this one is sent. */
	function store(sent: IDataObject, before: IDataObject = {}): IDataObject {
		const stored = Object.entries(sent).map(([name, value]) => [
			name,
			typeof value === 'string' ? habits.storeText(value) : value,
		]);
		const kept = habits.ignoredFields.map((name) => [name, before[name]]);
		return Object.fromEntries([...stored, ...kept]) as IDataObject;
	}

	async function upload(request: IncomingMessage, response: ServerResponse, dossierId: string) {
		const cutAt = habits.cutUploads.shift();
		const text = await readText(request, cutAt);
		const { content_base64: encoded, ...fields } = JSON.parse(
			cutAt === undefined ? text : `${text}"}`,
		) as IDataObject;
		const status = habits.uploadStatuses.shift();
		if (status)
			return answerJson(response, status, {
				error: { code: 'BROKEN', message: 'Not now', status },
			});
		const content = Buffer.from(toText(encoded) ?? '', 'base64').subarray(0, habits.keptBytes);
		const fileName = habits.nameFile(toText(fields.file_name) ?? '');
		const earlier = [...documents.values()].find((one) => one.file_name === fileName);
		const id = (habits.hasVersions && toText(earlier?.id)) || `doc_${randomUUID()}`;
		const document = {
			id,
			dossier_id: dossierId,
			...fields,
			size_bytes: content.length,
			checksum_sha256: habits.writeChecksum(sha256(content)),
			file_name: fileName,
			...(habits.hasTimes && { created_at: new Date().toISOString() }),
		};
		documents.set(id, { ...document, content });
		if (cutAt !== undefined || habits.brokenAnswers-- > 0) return request.socket.destroy();
		return answerJson(response, 201, show(document));
	}

	const missing = (response: ServerResponse) =>
		answerJson(response, 404, { error: { code: 'NOT_FOUND', message: 'Nothing is there' } });

	function remove(records: Map<string, IDataObject>, id: string, response: ServerResponse) {
		if (!records.delete(id)) return missing(response);
		return answerJson(response, 200, { id, deleted: true });
	}

	const handlers: PlainService['handlers'] = {
		'GET /v1/dossiers': (_, response, { query }) =>
			answerJson(response, 200, list([...dossiers.values()], query)),
		'POST /v1/dossiers': async (request, response) => {
			const created = { id: `dos_${randomUUID()}`, ...store(await readJson(request)) };
			dossiers.set(created.id, created);
			answerJson(response, 201, created);
		},
		'GET /v1/dossiers/{id}': (_, response, { id }) => {
			const dossier = dossiers.get(id);
			return dossier ? answerJson(response, 200, dossier) : missing(response);
		},
		'PUT /v1/dossiers/{id}': async (request, response, { id }) => {
			const before = dossiers.get(id);
			if (!before) return missing(response);
			const replaced = { id, ...store(await readJson(request), before) };
			dossiers.set(id, replaced);
			return answerJson(response, 200, habits.isLate ? before : replaced);
		},
		'DELETE /v1/dossiers/{id}': (_, response, { id }) => remove(dossiers, id, response),
		'GET /v1/dossiers/{id}/documents': (_, response, { id, query }) => {
			const own = [...documents.values()].filter((one) => one.dossier_id === id);
			const ordered = habits.isNewestFirst ? own.toReversed() : own;
			answerJson(response, 200, list(ordered.map(show), query));
		},
		'POST /v1/dossiers/{id}/documents': async (request, response, { id }) =>
			await upload(request, response, id),
		'GET /v1/documents/{id}': (_, response, { id }) => {
			const document = documents.get(id);
			return document ? answerJson(response, 200, show(document)) : missing(response);
		},
		'GET /v1/documents/{id}/download': (_, response, { id }) => {
			const document = documents.get(id);
			if (!document) return missing(response);
			return response.writeHead(200, { 'Content-Type': 'text/plain' }).end(document.content);
		},
		'DELETE /v1/documents/{id}': (_, response, { id }) => remove(documents, id, response),
	};
	const service = await startFake(handlers);
	const { credential, stop } = service;
	return {
		habits,
		dossiers,
		documents,
		get requests() {
			return service.requests.map(({ method, path }) => `${method} ${path}`);
		},
		credential,
		handlers,
		stop,
	};
}

/** The service, anew for each test of the file or block that calls this, and the node that calls it. */
export function usePlainService() {
	const service = useStarted(startPlainService, 'for each test');
	return {
		service,
		run: async (parameters: INodeParameters, more: Partial<Run> = {}) =>
			await runDossier({ parameters, credential: service.credential, ...more }),
		/** How many requests begin with this, e.g. `POST /v1/dossiers`. */
		count: (beginning: string) =>
			service.requests.filter((request) => request.startsWith(beginning)).length,
	};
}

/** Records in the sandbox, made and seen past n8n. */
import { createHash } from 'node:crypto';
import type { Live } from '../live.mts';

type Service = Pick<Live, 'service'>;

interface Task {
	id: string;
	dossier_id: string | null;
	title: string;
	description: string | null;
	status: string;
	assignee_id: string | null;
	due_at: string;
}

export const sha256 = (content: string | Buffer) =>
	createHash('sha256').update(content).digest('hex');

/** Makes a record; gives its ID. */
async function made({ service }: Service, path: string, body: object): Promise<string> {
	const { status, data } = await service.post<{ id: string }>(path, body);
	expect([path, status]).toEqual([path, 201]);
	return data.id;
}

export const newDossier = async (live: Service, reference: string, fields: object = {}) =>
	await made(live, '/dossiers', { title: `Case ${reference}`, reference, ...fields });

export const newTask = async (live: Service, fields: object) => await made(live, '/tasks', fields);

export const addDocument = async (
	live: Service,
	dossier: string,
	name: string,
	content: string | Buffer = `content of ${name}`,
	category = 'other',
) =>
	await made(live, `/dossiers/${dossier}/documents`, {
		file_name: name,
		mime_type: 'application/octet-stream',
		category,
		content_base64: (Buffer.isBuffer(content) ? content : Buffer.from(content)).toString('base64'),
	});

async function listed<T>({ service }: Service, path: string, params: object = {}): Promise<T[]> {
	const { data } = await service.get<{ data: T[] }>(path, { params: { per_page: 100, ...params } });
	return data.data;
}

/** The documents of a dossier, by name: the SHA-256 of each. */
export async function listDocuments(live: Service, dossier: string): Promise<Array<string[]>> {
	const documents = await listed<{ file_name: string; checksum_sha256: string }>(
		live,
		`/dossiers/${dossier}/documents`,
	);
	return documents
		.map(({ file_name: name, checksum_sha256: checksum }) => [name, checksum])
		.sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
}

/** The categories of the documents of a dossier, by file name. */
export async function listCategories(live: Service, dossier: string) {
	const documents = await listed<{ file_name: string; category: string }>(
		live,
		`/dossiers/${dossier}/documents`,
	);
	return Object.fromEntries(documents.map(({ file_name: name, category }) => [name, category]));
}

export async function dossierWith(live: Service, reference: string): Promise<string | undefined> {
	const [found] = await listed<{ id: string }>(live, '/dossiers', { reference });
	return found?.id;
}

export const listTasks = async (live: Service, dossier: string) =>
	await listed<Task>(live, '/tasks', { dossier_id: dossier });

export const listPortalUsers = async (live: Service, dossier: string) =>
	await listed<{ email: string; status: string }>(live, '/portal/users', { dossier_id: dossier });

export const auditLog = async (live: Service, params: object) =>
	await listed<{ id: string; created_at: string; target: { label: string | null } }>(
		live,
		'/audit-log',
		params,
	);

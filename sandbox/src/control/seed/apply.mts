import { createReadStream } from 'node:fs';
import { basename, resolve } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { createSystemContext } from '../../accounts/caller.mts';
import type { SeededOrganization } from '../../accounts/organizations.mts';
import { ServiceError, formatDetails } from '../../contract/service-error.mts';
import { withSeededIds } from '../../platform/ids.mts';
import { readText } from '../../platform/json.mts';
import type { JsonObject } from '../../platform/json.mts';
import type { Upload } from '../../records/documents.mts';
import type { Service } from '../../service.mts';
import { checkSeed } from './check.mts';
import type { Seed, SeedDocument, SeedOrganization, SeedRecords } from './schema.mts';

interface SeedOptions {
	/** The folder that paths of files are relative to. Without it, files cannot be named. */
	folder?: string | undefined;
	/** Whether the same seed gives the same identifiers and keys on every start. */
	hasKnownIds?: boolean;
}

/**
 * Adds the organizations and records of a seed, all of them or none, and gives its organizations. Throws a RangeError with the path of
 * the value that cannot be added.
 */
export async function applySeed(
	service: Service,
	seed: Seed,
	{ folder, hasKnownIds = false }: SeedOptions = {},
): Promise<SeededOrganization[]> {
	const { maxFileBytes } = service.options;
	checkSeed(seed, { folder, maxFileBytes });
	const uploads = new Map<SeedDocument, Upload>();
	const added: SeededOrganization[] = [];
	try {
		for (const document of listDocuments(seed)) {
			uploads.set(document, await receiveDocument(service, document, folder ?? ''));
		}
		service.batch(() => {
			const seeder = new Seeder(service, uploads, hasKnownIds);
			added.push(...seed.organizations.map((one, at) => seeder.add(one, `organizations.${at}`)));
		});
		return added;
	} catch (error) {
		service.files.sweep();
		throw error;
	} finally {
		for (const { file } of uploads.values()) await file.discard();
	}
}

function listDocuments({ organizations }: Seed): SeedDocument[] {
	return organizations
		.flatMap(({ live, test }) => [...(live?.dossiers ?? []), ...(test?.dossiers ?? [])])
		.flatMap(({ documents = [] }) => documents);
}

/** Stores the content of a document, which no record refers to yet. */
async function receiveDocument(
	{ files }: Service,
	document: SeedDocument,
	folder: string,
): Promise<Upload> {
	const { file: path, content, content_base64, ...fields } = document;
	const file_name = fields.file_name ?? basename(path ?? '');
	const mime_type = fields.mime_type ?? getMimeType(file_name) ?? 'application/octet-stream';
	const file = await files.receive();
	try {
		if (path !== undefined) {
			const bytes: AsyncIterable<Buffer> = createReadStream(resolve(folder, path));
			for await (const chunk of bytes) await file.write(chunk);
		} else {
			const bytes = Buffer.from(
				content ?? content_base64 ?? '',
				content === undefined ? 'base64' : 'utf8',
			);
			await file.write(bytes);
		}
		const named = { ...fields, file_name, mime_type, category: fields.category ?? 'other' };
		return { fields: toJson(named), file, content: await file.finish() };
	} catch (error) {
		await file.discard();
		throw error;
	}
}

/** Adds organizations within one transaction. */
class Seeder {
	readonly #service: Service;
	readonly #uploads: Map<SeedDocument, Upload>;
	readonly #hasKnownIds: boolean;

	constructor(service: Service, uploads: Map<SeedDocument, Upload>, hasKnownIds: boolean) {
		this.#service = service;
		this.#uploads = uploads;
		this.#hasKnownIds = hasKnownIds;
	}

	add(seed: SeedOrganization, path: string): SeededOrganization {
		const { organizations } = this.#service;
		const known = organizations
			.all()
			.find(({ id, name }) => (seed.id === undefined ? name === seed.name : id === seed.id));
		const organization = known ?? this.#create(seed, path);
		const { id } = organization;
		const own = [seed.plan, seed.live_key, seed.test_key];
		if (known && own.some((one) => one !== undefined)) {
			throw new RangeError(
				`${path}: ${known.name} exists, so its plan and its keys cannot be chosen. Leave them out, or give another name.`,
			);
		}
		if (seed.live) this.#addRecords(id, 'live', seed.live, `${path}.live`);
		if (seed.test) this.#addRecords(id, 'test', seed.test, `${path}.test`);
		return organization;
	}

	#create({ name, id, plan, live_key, test_key }: SeedOrganization, path: string) {
		const { organizations } = this.#service;
		const chosen = { id, live: live_key, test: test_key };
		return this.#make(`organization ${id ?? name}`, path, () =>
			organizations.create(plan ?? 'enterprise', name, chosen),
		);
	}

	#addRecords(organizationId: string, kind: 'live' | 'test', records: SeedRecords, path: string) {
		const service = this.#service;
		const { dossiers = [], tasks = [], users = [] } = records;
		const dataset = service.organizations.dataset(organizationId, kind);
		const context = () => createSystemContext(service.clock, dataset);
		const ids = new Map<string, string>();
		const make = <T,>(place: string, work: () => T): T =>
			this.#make(`${organizationId} ${kind} ${place}`, `${path}.${place}`, work);

		for (const [at, { documents = [], tasks: todos = [], ...input }] of dossiers.entries()) {
			const place = `dossiers.${at}`;
			const { id } = make(place, () => service.dossiers.create(context(), toJson(input)));
			const dossier = readText(id) ?? '';
			if (typeof input.reference === 'string') ids.set(input.reference, dossier);
			for (const [n, document] of documents.entries()) {
				const upload = this.#uploads.get(document);
				if (upload) {
					const add = () => service.documents.add(context(), dossier, upload);
					make(`${place}.documents.${n}`, add);
				}
			}
			for (const [n, todo] of todos.entries()) {
				const task = { ...toJson(todo), dossier_id: dossier };
				make(`${place}.tasks.${n}`, () => service.tasks.create(context(), task));
			}
		}
		const find = (reference: string): string => {
			const id = ids.get(reference);
			if (id !== undefined) return id;
			throw new RangeError(
				`There is no dossier with the reference ${reference} in ${path}.dossiers.`,
			);
		};
		for (const [at, { dossier, ...task }] of tasks.entries()) {
			make(`tasks.${at}`, () =>
				service.tasks.create(context(), {
					...toJson(task),
					...(dossier !== undefined && { dossier_id: find(dossier) }),
				}),
			);
		}
		for (const [at, { dossiers: references = [], ...user }] of users.entries()) {
			make(`users.${at}`, () => {
				const input = { ...toJson(user), dossier_ids: references.map(find) };
				service.invitations.inviteByMail(context(), input);
			});
		}
	}

	/** Adds one record or organization. If identifiers have to be the same on every start, they are derived from its place in the seed. */
	#make<T>(place: string, path: string, work: () => T): T {
		try {
			return this.#hasKnownIds ? withSeededIds(`seed ${place}`, work) : work();
		} catch (error) {
			if (error instanceof ServiceError) {
				const why = error.details.length > 0 ? formatDetails(error.details) : error.message;
				throw new RangeError(`${path}: ${why}`);
			}
			if (error instanceof RangeError) throw new RangeError(`${path}: ${error.message}`);
			throw error;
		}
	}
}

/** Typed fields as plain JSON. */
function toJson(fields: object): JsonObject {
	return Object.fromEntries(Object.entries(fields));
}

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { readFailureCode } from '../../database/failures.mts';
import type { Service } from '../../service.mts';
import { applySeed } from './apply.mts';
import { addExamples } from './examples.mts';
import { parseSeed } from './check.mts';
import type { Seed } from './schema.mts';

/** What a new data folder begins with. */
interface FirstData {
	seed?: unknown;
	/** The file that the seed was read from, for messages. */
	path?: string;
	/** The folder that the paths in the seed are relative to. */
	folder?: string;
	hasExamples: boolean;
}

/** Reads the seed of a first start. Throws a sentence if it is a file that cannot be read. */
export function readFirstData({
	seed,
	examples = false,
}: {
	seed?: Seed | string;
	examples?: boolean;
}): FirstData {
	if (typeof seed !== 'string') return { seed, hasExamples: examples };
	const folder = dirname(resolve(seed));
	return { seed: readSeedFile(seed), path: seed, folder, hasExamples: examples };
}

/** Adds the data of a first start, and keeps the state, so that a reset goes back to it. Throws a sentence if a seed cannot be used. */
export async function fillFirstStart(
	service: Service,
	{ seed, path, folder, hasExamples }: FirstData,
): Promise<void> {
	const hasKnownIds = service.options.hasKnownKeys;
	try {
		if (path !== undefined || seed !== undefined) {
			await applySeed(service, parseSeed(seed), { folder, hasKnownIds });
		}
	} catch (error) {
		if (path === undefined || !(error instanceof RangeError)) throw error;
		throw new Error(`The seed file ${path} cannot be used.\n${error.message}`);
	}
	const [organization] = service.organizations.seeded();
	if (hasExamples && organization) {
		const dataset = service.organizations.dataset(organization.id, 'test');
		await addExamples(service, dataset, { dossiers: 10, documents: 2, tasks: 3, portal_users: 3 });
	}
	service.firstState.keep();
}

/** Reads a seed file, in YAML or JSON. Throws a sentence if it is not there, or is neither. */
function readSeedFile(path: string): unknown {
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (error) {
		const code = readFailureCode(error);
		const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
		throw new Error(`The seed file ${path} ${why}.`);
	}
	try {
		// JSON is YAML, too.
		return load(text, { schema: CORE_SCHEMA });
	} catch (error) {
		if (!(error instanceof YAMLException)) throw error;
		throw new Error(
			`The seed file ${path} is neither YAML nor JSON. ${error.message.split('\n')[0]}`,
		);
	}
}

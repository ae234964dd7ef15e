import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeIssues } from '../issues.mts';
import { seed } from './schema.mts';
import type { Seed, SeedDocument, SeedRecords } from './schema.mts';

/** How many problems one message names at most. */
const maxNamed = 10;

interface SeedLimits {
	/** The folder that paths of files are relative to; `undefined` if the seed may not name files. */
	folder: string | undefined;
	/** In bytes. */
	maxFileBytes: number;
}

/** A seed from a file or an option. Throws a RangeError as `checkSeed` does. */
export function parseSeed(value: unknown): Seed {
	const { data, error } = seed.safeParse(value);
	if (data) return data;
	throw createRefusal(
		describeIssues(error?.issues ?? [], value).map(({ field, message }) => `${field}: ${message}`),
	);
}

/**
 * Checks what the schema of a seed does not say, before anything of it is stored. Throws a RangeError with a line for each problem,
 * which begins with the path of the value, such as `organizations.0.live.dossiers.2.title`.
 */
export function checkSeed(value: Seed, limits: SeedLimits): void {
	const problems: string[] = [];
	reportDuplicates(
		value.organizations.map(({ name, id }) => id ?? name),
		(at) => `organizations.${at}: Another organization of the seed has this name or id.`,
		problems,
	);
	const keys = value.organizations.flatMap((organization, at) =>
		(['live_key', 'test_key'] as const).map((field) => ({
			path: `organizations.${at}.${field}`,
			key: organization[field],
		})),
	);
	reportDuplicates(
		keys.map(({ key }) => key),
		(at) => `${keys[at]?.path}: Another organization of the seed has this key.`,
		problems,
	);
	for (const [at, { live, test }] of value.organizations.entries()) {
		if (live) checkRecords(live, `organizations.${at}.live`, limits, problems);
		if (test) checkRecords(test, `organizations.${at}.test`, limits, problems);
	}
	if (problems.length > 0) throw createRefusal(problems);
}

function createRefusal(problems: string[]): RangeError {
	const more = problems.length - maxNamed;
	const rest = more > 0 ? [`and ${more} more.`] : [];
	return new RangeError([...problems.slice(0, maxNamed), ...rest].join('\n'));
}

function checkRecords(records: SeedRecords, path: string, limits: SeedLimits, problems: string[]) {
	const { dossiers = [], users = [] } = records;
	reportDuplicates(
		dossiers.map(({ reference }) => reference),
		(at) =>
			`${path}.dossiers.${at}.reference: Another dossier has the reference ${dossiers[at]?.reference}.`,
		problems,
	);
	reportDuplicates(
		users.map(({ email }) => email.toLowerCase()),
		(at) => `${path}.users.${at}.email: Another user has the address ${users[at]?.email}.`,
		problems,
	);
	for (const [at, { documents = [] }] of dossiers.entries()) {
		for (const [n, document] of documents.entries()) {
			const problem = findContentProblem(document, limits);
			if (problem) problems.push(`${path}.dossiers.${at}.documents.${n}${problem}`);
		}
	}
}

/** What follows the path of a document in the message about it; an empty text if its content can be read. */
function findContentProblem(document: SeedDocument, { folder, maxFileBytes }: SeedLimits) {
	const { file, content, content_base64, file_name } = document;
	const given = [file, content, content_base64].filter((one) => one !== undefined);
	if (given.length !== 1) return ': Give one of file, content and content_base64.';
	if (file === undefined)
		return file_name === undefined ? '.file_name: This field is required.' : '';
	if (folder === undefined) {
		return '.file: Only a seed file can name files. Give content or content_base64.';
	}
	const path = resolve(folder, file);
	const found = statSync(path, { throwIfNoEntry: false });
	if (!found?.isFile()) return `.file: There is no file ${path}.`;
	return found.size > maxFileBytes ? `.file: ${path} is larger than ${maxFileBytes} bytes.` : '';
}

/** Adds a problem for each value that repeats an earlier one. */
function reportDuplicates(
	values: (string | null | undefined)[],
	describe: (at: number) => string,
	problems: string[],
): void {
	const seen = new Set<string>();
	for (const [at, value] of values.entries()) {
		if (value === null || value === undefined) continue;
		if (seen.has(value)) problems.push(describe(at));
		seen.add(value);
	}
}

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, YAMLParseError } from 'yaml';

/** A seed as it was read, and the folder that its paths are relative to. */
interface SeedFile {
	value: unknown;
	folder: string;
}

/** Reads a seed file, in YAML or JSON. Throws a sentence if it is not there, or is neither. */
export function readSeedFile(path: string): SeedFile {
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? error.code : undefined;
		const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${String(code)})`;
		throw new Error(`The seed file ${path} ${why}.`);
	}
	try {
		// JSON is YAML, too.
		return { value: parse(text), folder: dirname(resolve(path)) };
	} catch (error) {
		if (!(error instanceof YAMLParseError)) throw error;
		throw new Error(
			`The seed file ${path} is neither YAML nor JSON. ${error.message.split('\n')[0]}`,
		);
	}
}

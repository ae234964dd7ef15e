import { dirname, relative, sep } from 'node:path';
import prettyBytes from 'pretty-bytes';
import type { CaseFile, CaseListing } from './caseFiles.mts';
import type { MemoryUse } from '../process/usage.mts';
import type { Landed, ReadBack } from './readBack.mts';
import { say } from '../process/terminal.mts';

export function announce({ folder, files, leftOut }: CaseListing): void {
	const dossiers = new Set(files.map(({ dossier }) => dossier));
	const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
	say(
		`To import: ${count(files.length, 'file')} of ${count(dossiers.size, 'dossier')} (${prettyBytes(bytes)}) from ${folder}`,
	);
	for (const [reference, names] of listShared(folder, files)) {
		say(
			`${count(names.length, 'folder')} share the reference "${reference}" and become one dossier: ${names.join(', ')}`,
		);
	}
	const loose = files.filter(({ path }) => dirname(path) === folder);
	if (loose[0]) {
		const { dossier } = loose[0];
		say(
			`In no sub-folder: ${loose.length}. They go into the dossier "${dossier}", which has its name from the folder.`,
		);
	}
	if (leftOut.length > 0) say(`Left out, because hidden or a broken link: ${leftOut.join(', ')}`);
}

/** The references that several sub-folders have, and the names of these folders. */
function listShared(folder: string, files: CaseFile[]): Array<[string, string[]]> {
	const names = new Map<string, Set<string>>();
	for (const { dossier, path } of files) {
		if (dirname(path) === folder) continue;
		const [name = ''] = relative(folder, path).split(sep);
		names.set(dossier, (names.get(dossier) ?? new Set()).add(name));
	}
	return [...names]
		.filter(([, { size }]) => size > 1)
		.map(([reference, several]) => [reference, [...several]]);
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

export function sayMemory({ before, peak }: MemoryUse): void {
	say(
		`Memory of n8n: ${prettyBytes(before)} before, ${prettyBytes(peak)} at its peak (${prettyBytes(peak - before)} more)`,
	);
}

export function sayResult({ landed, unexpected, isComplete }: ReadBack): void {
	say('\nRead back from the sandbox:');
	for (const one of landed) {
		const { dossier, name, storedName, bytes } = one.file;
		const shown = storedName === name ? name : `${name} (stored as ${storedName})`;
		say(`  ${dossier} | ${shown} | ${prettyBytes(bytes)} | ${verdict(one)}`);
	}
	for (const what of unexpected) say(`  NOT EXPECTED: ${what}`);
	const right = landed.filter(({ copies }) => copies === 1).length;
	say(
		isComplete
			? `\nEach file (${right}) is in its dossier, exactly once, with equal SHA-256.`
			: `\nIn their dossiers exactly once, with equal SHA-256: ${right} of ${count(landed.length, 'file')}.`,
	);
}

function verdict({ sha256, copies, differs, problem }: Landed): string {
	if (problem) return `NOT COMPARED: ${problem}`;
	if (copies === 1) return `SHA-256 equal (${sha256.slice(0, 12)}…)`;
	if (copies > 0) return `${copies} TIMES instead of once`;
	return differs ? 'its SHA-256 is NOT equal' : 'MISSING';
}

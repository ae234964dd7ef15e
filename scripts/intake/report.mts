import { dirname } from 'node:path';
import prettyBytes from 'pretty-bytes';
import type { CaseListing } from './caseFiles.mts';
import type { MemoryUse } from '../process/usage.mts';
import type { Landed, ReadBack } from './readBack.mts';
import { say } from '../process/terminal.mts';

export function announce({ folder, files, leftOut }: CaseListing): void {
	const dossiers = new Set(files.map(({ dossier }) => dossier));
	const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
	say(
		`${files.length} files of ${dossiers.size} dossiers (${prettyBytes(bytes)}) are to be imported from ${folder}`,
	);
	const loose = files.filter(({ path }) => dirname(path) === folder);
	if (loose[0]) {
		const { dossier } = loose[0];
		say(
			`In no sub-folder: ${loose.length}. They go into the dossier "${dossier}", which has its name from the folder.`,
		);
	}
	if (leftOut.length > 0) say(`Left out, because hidden or a broken link: ${leftOut.join(', ')}`);
}

export function sayMemory({ before, peak }: MemoryUse): void {
	say(
		`Memory of n8n: ${prettyBytes(before)} before, ${prettyBytes(peak)} at its peak (${prettyBytes(peak - before)} more)`,
	);
}

export function sayResult({ landed, unexpected, isComplete }: ReadBack): void {
	say('\nRead back from the sandbox:');
	for (const one of landed) {
		const { dossier, name, bytes } = one.file;
		say(`  ${dossier} | ${name} | ${prettyBytes(bytes)} | ${verdict(one)}`);
	}
	for (const what of unexpected) say(`  NOT EXPECTED: ${what}`);
	const right = landed.filter(({ copies }) => copies === 1).length;
	say(
		isComplete
			? `\nAll ${right} files are in their dossiers, each exactly once, with equal SHA-256.`
			: `\n${right} of ${landed.length} files are in their dossiers exactly once with equal SHA-256.`,
	);
}

function verdict({ sha256, copies, problem }: Landed): string {
	if (problem) return `NOT COMPARED: ${problem}`;
	if (copies === 1) return `SHA-256 equal (${sha256.slice(0, 12)}…)`;
	return copies === 0 ? 'MISSING, or its SHA-256 is NOT equal' : `${copies} TIMES instead of once`;
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Measured } from './figures.ts';
import type { Circumstances } from './record.ts';
import { tableOf } from './table.ts';

/** What is in a file of bench/results. */
type Result = Measured & Circumstances;

interface Section {
	title: string;
	/** Says what was done, so that the figures can be read without the code. */
	text: string;
}

const SECTIONS: Record<string, Section> = {
	upload: {
		title: 'One large upload',
		text: `A file of 1 GiB, which n8n keeps on disk (binary mode \`filesystem\`), is uploaded by one node, each time in an n8n that was just started. Memory is that of the whole n8n process, the highest value while the node ran above the level in the two seconds before it. It is measured with the sandbox as the service, which checks, hashes and stores the file, and which is then the slowest of all that take part. So the speed is also measured against something that takes bytes and keeps nothing. What is streamed passes through memory piece by piece, beside small objects that have n8n free the pieces soon.`,
	},
	download: {
		title: 'One large download',
		text: `A document of 1 GiB is downloaded from the sandbox into n8n's storage on disk. The Dossier node compares length and SHA-256 with what the service knows before it gives the file out; the HTTP Request node compares nothing.`,
	},
	limits: {
		title: 'Many uploads under the limits of the Business plan',
		text: `350 small files, 100 requests a minute, fixed windows, in real minutes. The shortest time is that of a client which fills each window at once.`,
	},
	many: {
		title: 'Many uploads to a slow service',
		text: `1,000 small files to a service without limits which takes 20 ms for each.`,
	},
	pages: {
		title: 'A long list',
		text: `10,000 dossiers, 100 on a page, from a service which takes 20 ms for each page. Next pages are fetched ahead, as many at once as *Concurrent Requests* says.`,
	},
	start: {
		title: 'What n8n has to load',
		text: `Each file is loaded with \`require\` in a new process that has \`n8n-workflow\` already.`,
	},
	verify: {
		title: 'Verifying a delivery',
		text: `A delivery of 10 kB with a genuine signature, after the scheme of each preset, without n8n around it.`,
	},
	trigger: {
		title: 'Deliveries in n8n',
		text: `The sandbox delivers signed events to active workflows, as fast as they are answered: with the Dossier Trigger, and with n8n's Webhook node, which verifies nothing. Each is answered when its run has begun, all save their executions, and what was executed is counted. n8n 2 prepares its engine for expressions before it hands a delivery to a node, and again for the run; the first it spares newer versions of its own Webhook node alone. Version 1 of that node is treated as every other trigger is, and shows what verifying and remembering a delivery cost. With the setting of n8n \`N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true\` ("lazy engine") it is prepared only where an expression is used.`,
	},
	sandbox: {
		title: 'The sandbox alone',
		text: `Requests from a process of its own, without n8n. Each value of a list is the time of one request.`,
	},
};

/** The page of all results that are there, in Markdown. */
export async function pageOf(root: string): Promise<string> {
	const sections: string[] = [];
	for (const [name, { title, text }] of Object.entries(SECTIONS)) {
		const result = await resultOf(root, name);
		if (result)
			sections.push(`## ${title}\n\n${text}\n\n${told(result)}\n\n${tableOf(result.figures)}`);
	}
	return `# Benchmarks

What \`npm run bench\` measured, beside n8n's own nodes doing the same work in the same n8n, in turns, in the same run. This page is written by that command from
[bench/results](../bench/results), which hold every single value. Of several values the median counts. Where a target was missed, it says so.

${sections.join('\n\n')}
`;
}

/** Writes docs/benchmarks.md. */
export async function writePage(root: string): Promise<void> {
	await writeFile(join(root, 'docs/benchmarks.md'), await pageOf(root));
}

function told({ date, machine, versions }: Result): string {
	return `*${date.slice(0, 10)}, package ${versions.package}, n8n ${versions.n8n}, Node.js ${versions.node}; ${machine.processors} processors (${machine.processor}), ${machine.memory_gb} GB of memory.*`;
}

async function resultOf(root: string, name: string): Promise<Result | undefined> {
	const path = join(root, 'bench/results', `${name}.json`);
	const text = await readFile(path, 'utf8').catch(() => '');
	if (text === '') return undefined;
	const result: unknown = JSON.parse(text);
	if (isResult(result)) return result;
	throw new Error(`${path} holds no measurement. Measure it again.`);
}

function isResult(value: unknown): value is Result {
	return typeof value === 'object' && value !== null && 'figures' in value && 'versions' in value;
}

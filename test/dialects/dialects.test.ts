import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import fc from 'fast-check';
import { useBinaryMode } from '../integration/n8n';
import { findOut } from './found';
import { drawnServices, readableServices } from './generator';
import type { DrawnService } from './generator';
import { runJob } from './job';
import { shrink } from './shrink';
import { startSpeaker } from './spoken';
import type { Speaker } from './spoken';

const runs = Number(process.env.DIALECT_RUNS ?? 25);
const seed = Number(process.env.DIALECT_SEED ?? 20_260_101);

let speaker: Speaker;
let forget: () => Promise<void>;

beforeAll(async () => {
	for (const level of ['warn', 'error'] as const) {
		jest.spyOn(Container.get(Logger), level).mockReturnValue();
	}
	speaker = await startSpeaker();
	forget = await useBinaryMode('filesystem');
});

afterAll(async () => {
	await speaker.stop();
	await forget();
});

async function speak(drawn: DrawnService) {
	const service = await speaker.speak(drawn);
	const { organization, url } = service;
	const credential = {
		environment: 'production',
		baseUrl: `${url}/v1`,
		apiKey: organization.testKey,
		organizationId: organization.id,
		rateLimit: 'off',
	};
	return { service, credential };
}

/** What went wrong with a service; nothing if its job was done. */
async function findFault(
	drawn: DrawnService,
	dialect = JSON.stringify(drawn.dialect),
): Promise<string | undefined> {
	try {
		const { service, credential } = await speak(drawn);
		await runJob({ service, credential: { ...credential, contractOverrides: true, dialect } });
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

it(`does the core job with the dialect given, seed ${seed}`, async () => {
	const faults: string[] = [];
	for (const drawn of fc.sample(drawnServices, { seed, numRuns: runs })) {
		const fault = await findFault(drawn);
		if (fault === undefined) continue;
		const smallest = await shrink(drawn, async (one) => (await findFault(one)) !== undefined, 25);
		faults.push(`${JSON.stringify(smallest)}\n${fault}`);
		process.stdout.write(`FAULT ${faults.at(-1)}\n\n`);
	}
	process.stdout.write(
		`With the dialect given: ${runs - faults.length} of ${runs}, seed ${seed}\n`,
	);
	expect(faults.join('\n\n')).toBe('');
}, 3_600_000);

if (process.env.DIALECT_FOUND !== undefined) {
	it(`says nothing to hold that differs, and counts the jobs done with the dialect found, seed ${seed}`, async () => {
		const wrong: string[] = [];
		let done = 0;
		for (const [at, drawn] of fc.sample(readableServices, { seed, numRuns: runs }).entries()) {
			const { credential } = await speak(drawn);
			const found = await findOut(drawn, credential);
			for (const assumption of found.wrong) wrong.push(`service ${at}: ${assumption}`);
			if (found.requests > 40) wrong.push(`service ${at}: ${found.requests} requests`);
			if (found.left) wrong.push(`service ${at}: left ${found.left}`);
			const fault = await findFault(drawn, found.dialect);
			if (fault === undefined) done++;
			else {
				const { requests, dialect } = found;
				process.stdout.write(
					`NOT FOUND ${at}: ${JSON.stringify(drawn)}\nfound in ${requests}: ${dialect}\n${fault}\n\n`,
				);
			}
		}
		process.stdout.write(
			`With the dialect found: ${done} of ${runs}, seed ${seed}; wrongly reported as holding: ${wrong.length}\n`,
		);
		expect(wrong).toEqual([]);
	}, 3_600_000);
}

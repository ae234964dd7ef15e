import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import fc from 'fast-check';
import { findClashes } from '../../nodes/Dossier/dialect/clashes';
import { findOut } from './found';
import { drawnServices } from './generator';
import type { DrawnService } from './generator';
import { runJob } from './job';
import { shrink } from './shrink';
import { startSpeaker } from './spoken';
import type { Speaker } from './spoken';
import { text } from './work';

const runs = Number(process.env.DIALECT_RUNS ?? 5);
const seed = Number(process.env.DIALECT_SEED ?? 20_260_101);

/** The services that are drawn, each with its number; DIALECT_AT chooses one. */
const services = [...fc.sample(drawnServices, { seed, numRuns: runs }).entries()].filter(
	([at]) => (process.env.DIALECT_AT ?? String(at)) === String(at),
);

/** How many services are watched: that takes longer than the job. */
const WATCHED = 100;

let speaker: Speaker;

/** After how many ms a trigger forgets the secrets that it has opened. The process need not wait for that. */
const FORGETS_MS = 10_000;

beforeAll(async () => {
	const start = setTimeout;
	jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms, ...given) => {
		const timer = start(run, ms, ...given);
		return ms === FORGETS_MS ? timer.unref() : timer;
	});
	for (const level of ['warn', 'error'] as const) {
		jest.spyOn(Container.get(Logger), level).mockReturnValue();
	}
	speaker = await startSpeaker();
});

afterAll(async () => {
	await speaker.stop();
});

async function speak(drawn: DrawnService, isWatched: boolean) {
	const service = await speaker.speak(drawn, isWatched);
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

/**
 * What went wrong with a service; nothing if its job was done.
 *
 * @param isWatched whether the answers are compared with the contract of the service
 * @param found the dialect that Check Contract found, instead of that of the service
 */
async function findFault(
	drawn: DrawnService,
	{ isWatched = false, found = JSON.stringify(drawn.dialect) } = {},
): Promise<string | undefined> {
	try {
		const { service, credential } = await speak(drawn, isWatched);
		service.takeComplaints();
		await runJob({
			service,
			credential: { ...credential, contractOverrides: true, dialect: found },
		});
		return service.takeComplaints()[0];
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

it(`does the core job with the dialect given, seed ${seed}`, async () => {
	const faults: string[] = [];
	for (const [at, drawn] of services) {
		const options = { isWatched: at < WATCHED };
		const fault = await findFault(drawn, options);
		if (fault === undefined) continue;
		// A service that contradicts itself fails for another reason.
		const fails = async (one: DrawnService) =>
			[...findClashes(one.dialect)].length === 0 && (await findFault(one, options)) !== undefined;
		const smallest = await shrink(drawn, fails, 25);
		faults.push(`${JSON.stringify(smallest)}\n${fault}`);
		process.stdout.write(`FAULT ${faults.at(-1)}\n\n`);
	}
	process.stdout.write(
		`With the dialect given: ${services.length - faults.length} of ${services.length}, seed ${seed}\n`,
	);
	expect(faults.join('\n\n')).toBe('');
}, 3_600_000);

if (process.env.DIALECT_FOUND !== undefined) {
	it(`finds the structure, asks for the names and never judges wrongly, seed ${seed}`, async () => {
		const wrong: string[] = [];
		const missed: string[] = [];
		let [done, mostRequests] = [0, 0];
		let [proven, asked] = [0, 0];
		for (const [at, drawn] of services) {
			const { credential, service } = await speak(drawn, false);
			const found = await findOut(drawn, credential);
			for (const one of found.wrong) wrong.push(`service ${at}: ${one}`);
			for (const one of found.missed) missed.push(`service ${at}: ${one}`);
			mostRequests = Math.max(mostRequests, ...found.requests);
			if (found.requests.some((one) => one > 40))
				wrong.push(`service ${at}: ${found.requests.join(', ')} requests`);
			const there = (await service.listTruth()).map(({ title }) => text(title)).join(', ');
			if (found.left || there) wrong.push(`service ${at}: left ${found.left} ${there}`);
			proven += found.proven;
			asked += found.asked;
			const fault = await findFault(drawn, { found: found.dialect });
			if (fault === undefined) done++;
			else {
				wrong.push(`service ${at}: ${fault}`);
				process.stdout.write(
					`NOT DONE ${at}: ${JSON.stringify(drawn)}\nwith ${found.dialect}\n${fault}\n\n`,
				);
			}
		}
		process.stdout.write(
			`With Check Contract: the job was done in ${done} of ${services.length}, seed ${seed}. Parts of structure: ${proven} proven, ${asked} asked for, ${missed.length} missed. A check took at most ${mostRequests} requests.\n${[...missed, ...wrong].join('\n')}\n`,
		);
		expect(wrong).toEqual([]);
	}, 3_600_000);
}

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import axios from 'axios';
import { readCommandLine } from '../src/command-line.mts';
import { createSandbox } from '../src/index.mts';
import type { Plan, Sandbox, SandboxOptions, SeededOrganization } from '../src/index.mts';
import { killChildren } from './child.mts';
import {
	connect,
	connectControl,
	connectCustomer,
	connectOperator,
	connectPublic,
} from './clients.mts';
import { openReceiver } from './receiver.mts';
import type { Reaction, Receiver } from './receiver.mts';

type DeliveryFilter = Parameters<Sandbox['deliveries']['list']>[0];
type SwitchChoice = Parameters<Sandbox['switches']['change']>[0];

export interface UseOptions extends Omit<SandboxOptions, 'dataDir'> {
	/** The plan of the organization that each test has to itself. Default business. */
	plan?: Plan;
	/** No sandbox for the file, because the tests open their own by `openSandbox`. */
	isManual?: boolean;
	/** Keep the state in `dataDir`, so that a test can look at its files. */
	onDisk?: boolean;
}

/**
 * Opens a sandbox for the tests of a file, and closes everything that a test has opened. Each test finds the sandbox as after its first
 * start, with a further organization, to which the clients belong.
 */
export function useSandbox(options: UseOptions = {}) {
	const { plan = 'business', isManual = false, onDisk = false, ...rest } = options;
	const dataDir = join(tmpdir(), `dossier-test-${randomUUID()}`);
	const further = new Set<Sandbox>();
	const receivers: Receiver[] = [];
	let shared: Sandbox | undefined;
	let current: SeededOrganization | undefined;
	/** Client of the integration API, with the live key. */
	const client = axios.create();
	/** Client of the workspace. */
	const customer = axios.create();
	const operator = axios.create();
	/** Client of `/api/v1` that is not signed in. */
	const anyone = axios.create();
	const controlClient = axios.create();

	const sandbox = (): Sandbox => {
		if (!shared) throw new Error('No sandbox is open.');
		return shared;
	};
	const organization = (): SeededOrganization => {
		if (!current) throw new Error('No test is running.');
		return current;
	};
	const openShared = async () => {
		shared = await createSandbox({ ...rest, ...(onDisk && { dataDir }) });
		Object.assign(operator.defaults, connectOperator(shared).defaults);
		Object.assign(anyone.defaults, connectPublic(shared).defaults);
		Object.assign(controlClient.defaults, connectControl(shared).defaults);
	};
	const aimClients = () => {
		Object.assign(client.defaults, connect(sandbox(), organization()).defaults);
		Object.assign(customer.defaults, connectCustomer(sandbox(), organization()).defaults);
	};
	const closeShared = async () => {
		await shared?.close();
		shared = undefined;
		rmSync(dataDir, { recursive: true, force: true });
	};

	const openFurther = async (more: SandboxOptions = {}): Promise<Sandbox> => {
		const one = await createSandbox(more);
		const result = {
			...one,
			close: async () => {
				further.delete(result);
				await one.close();
			},
		};
		further.add(result);
		return result;
	};

	const openOwnReceiver = async (answer?: Reaction): Promise<Receiver> => {
		const receiver = await openReceiver(answer);
		receivers.push(receiver);
		return receiver;
	};

	if (!isManual) {
		beforeAll(openShared);
		afterAll(closeShared);
	}
	beforeEach(async () => {
		mkdirSync(dataDir, { recursive: true });
		if (!shared) return;
		await shared.reset();
		current = await shared.createOrganization({ plan });
		aimClients();
	});
	afterEach(async () => {
		killChildren();
		for (const one of further) await one.close();
		if (!onDisk) rmSync(dataDir, { recursive: true, force: true });
		for (const one of receivers.splice(0)) await one.close();
	});

	return {
		client,
		customer,
		operator,
		anyone,
		/** The control room of the sandbox, and what tests do there most often. */
		control: {
			client: controlClient,
			move: async (ms: number) => void (await sandbox().clock.move(ms)),
			/** Waits until every delivery that is due was sent, and gives how many are in which state. */
			idle: async () => await sandbox().deliveries.settle(120_000),
			/** Deliveries, the newest first. */
			deliveries: async (filter: DeliveryFilter = {}) => await sandbox().deliveries.list(filter),
			/** The messages to a mailbox or a phone, the newest first; without `to`, all messages. */
			outbox: async (to?: string) => await sandbox().outbox.list({ ...(to && { to }) }),
			/** Changes how the service answers. */
			change: async (choice: SwitchChoice) => void (await sandbox().switches.change(choice)),
			/** Whether a portal user's session is active, and whose it is. */
			session: async (token: string) => {
				const headers = { Authorization: `Bearer ${token}` };
				return (await controlClient.get('/portal/session', { headers })).data;
			},
		},
		/** A folder for each test, or for the shared sandbox if that keeps its state in it. */
		dataDir,
		/** Opens the database in `dataDir`, which no sandbox has open. */
		withDatabase: <T,>(work: (database: DatabaseSync) => T): T => {
			const database = new DatabaseSync(join(dataDir, 'service.db'));
			try {
				return work(database);
			} finally {
				database.close();
			}
		},
		/** The names of the files in a folder of `dataDir`: those of documents, or those of unfinished uploads. */
		listFiles: (folder: 'files' | 'incoming'): string[] =>
			readdirSync(join(dataDir, folder), { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ name }) => name),
		/** The sandbox that the clients belong to. */
		sandbox,
		/** The organization of this test. */
		organization,
		/** Closes the sandbox, and opens it again with what is in `dataDir`. */
		restart: async () => {
			await sandbox().close();
			await openShared();
			aimClients();
		},
		/** A client of an organization that has nothing to do with the one of this test. */
		connectStranger: async () => connect(sandbox(), await sandbox().createOrganization({ plan })),
		/** A further sandbox, which is closed after the test if the test does not close it. */
		openSandbox: openFurther,
		/** As `openSandbox`, with the options that a command line and an environment have, on a free port. */
		openCommand: async (args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Sandbox> => {
			const wish = readCommandLine(['--port', '0', ...args], env);
			if (wish.kind !== 'start') throw new Error(`${args.join(' ')} starts no sandbox.`);
			return await openFurther(wish.options);
		},
		/** Starts a receiver, which is closed after the test. */
		openReceiver: openOwnReceiver,
		/** Starts a receiver and registers it for events of this test's organization. */
		registerReceiver: async (events: string[], answer?: Reaction) => {
			const receiver = await openOwnReceiver(answer);
			const { data } = await client.post('/webhooks', { url: receiver.url, events });
			return { ...receiver, id: String(data.id), secret: String(data.secret) };
		},
	};
}

/** One sandbox that speaks one dialect after the other, and a client that knows what is true. */
import axios from 'axios';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { createSandbox } from '../../sandbox/src/index.ts';
import type { Dialect, Sandbox, SeededOrganization } from '../../sandbox/src/index.ts';
import { openCheckingProxy } from '../../sandbox/test/checking-proxy';
import { httpAgent } from '../integration/service';
import type { DrawnService } from './generator';

interface SpokenService {
	dialect: Dialect;
	/** Gives what broke the contract that the sandbox serves, as sentences, and forgets it. */
	takeComplaints(): string[];
	url: string;
	organization: SeededOrganization;
	operatorToken: string;
	/** Sends a request to the control room. */
	control(method: 'get' | 'post', path: string, body?: IDataObject): Promise<IDataObject>;
	/** The dossiers and tasks that are stored, in the contract's words. */
	listTruth(): Promise<IDataObject[]>;
	/** Compares a stored record, found by a text in it, with what it has to be in the contract's words. */
	expectTruth(path: string, content: string, expected: IDataObject): Promise<void>;
}

/** Everything that a job needs: the service, and the credential that tells the nodes of its dialect. */
export interface JobSetup {
	service: SpokenService;
	credential: ICredentialDataDecryptedObject;
}

export interface Speaker {
	/**
	 * Has the sandbox speak a drawn dialect to a new organization.
	 *
	 * @param isWatched whether each answer is compared with the contract that the sandbox serves, which takes most of the time
	 */
	speak(drawn: DrawnService, isWatched: boolean): Promise<SpokenService>;
	stop(): Promise<void>;
}

export async function startSpeaker(): Promise<Speaker> {
	const rateLimits = { perMinute: 1_000_000, perHour: 1_000_000 };
	const sandbox: Sandbox = await createSandbox({ rateLimits });
	const proxy = await openCheckingProxy(sandbox);
	const client = axios.create({ baseURL: `${sandbox.url}/_sandbox/api`, httpAgent });
	const setDialect = async (dialect: Dialect) => await client.put('/dialect', dialect);
	return {
		speak: async ({ dialect, switches }, isWatched) => {
			const organization = await sandbox.createOrganization({ plan: 'enterprise' });
			await client.patch('/switches', { profile: 'default', switches });
			await setDialect(dialect);
			if (isWatched) await proxy.learn();
			const headers = {
				Authorization: `Bearer ${organization.testKey}`,
				'X-Organization-ID': organization.id,
			};
			const list = async (path: string) => {
				await setDialect({});
				const url = `${sandbox.url}/v1${path}`;
				const { data } = await axios.get<{ data: IDataObject[] }>(url, { headers, httpAgent });
				await setDialect(dialect);
				return data.data;
			};
			return {
				dialect,
				listTruth: async () => [...(await list('/dossiers')), ...(await list('/tasks'))],
				takeComplaints: () => proxy.complaints.splice(0),
				url: isWatched ? proxy.url : sandbox.url,
				organization,
				operatorToken: sandbox.operatorToken,
				control: async (method, path, body) =>
					(await client.request<IDataObject>({ method, url: path, data: body })).data,
				expectTruth: async (path, content, expected) => {
					const found = (await list(path)).find((one) => JSON.stringify(one).includes(content));
					expect(found).toMatchObject(expected);
				},
			};
		},
		stop: async () => {
			await proxy.close();
			await sandbox.close();
		},
	};
}

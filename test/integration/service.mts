/** Starts a sandbox for a test file, with an organization of its own. */
import { Agent } from 'node:http';
import axios from 'axios';
import type { AxiosInstance } from 'axios';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeParameterResourceLocator,
} from 'n8n-workflow';
import { createSandbox } from '../../sandbox/src/index.mts';
import type {
	Profile,
	Sandbox,
	SandboxOptions,
	SeededOrganization,
} from '../../sandbox/src/index.mts';
import { useStarted } from './started.mts';

/** A server may close an idle connection just when it is used again, so each call of a test opens its own. */
export const httpAgent = new Agent({ keepAlive: false });

export const PROFILES: Profile[] = ['default', 'given-only', 'alternate'];

export interface Service {
	url: string;
	sandbox: Sandbox;
	organization: SeededOrganization;
	credential: ICredentialDataDecryptedObject;
	customer: ICredentialDataDecryptedObject;
	operator: ICredentialDataDecryptedObject;
	/** An independent client of the same organization. It throws if the service refuses a request. */
	client: AxiosInstance;
	/** Reads a record out of any envelope. */
	read(path: string): Promise<IDataObject>;
	/** Reads all pages of a list, in any envelope. */
	list(path: string): Promise<IDataObject[]>;
	/** Makes a record, with the test key or another one. */
	create(path: string, body: IDataObject, key?: string): Promise<IDataObject>;
	/** Puts a file into a dossier; of the fields, those that are given are others than usual. */
	addDocument(dossier: unknown, fields?: IDataObject, content?: Buffer): Promise<IDataObject>;
	/** Sends a request to the control room of the sandbox. */
	control<T>(method: 'get' | 'post' | 'delete', path: string, body?: IDataObject): Promise<T>;
	stop(): Promise<void>;
}

type Envelope = IDataObject & { data?: IDataObject; next_cursor?: string };

const unwrapRecord = (body: Envelope) => (body.data && body.id === undefined ? body.data : body);

const unwrapList = (body: Envelope | IDataObject[]) =>
	Array.isArray(body) ? body : (Object.values(body).find(Array.isArray) as IDataObject[]);

/** Starts a sandbox with an Enterprise organization. The credential and the client use its test key. */
export async function startService(options: SandboxOptions = {}): Promise<Service> {
	const sandbox = await createSandbox(options);
	const organization = await sandbox.createOrganization({ plan: 'enterprise' });
	const baseUrl = `${sandbox.url}/v1`;
	const client = axios.create({
		baseURL: baseUrl,
		httpAgent,
		headers: {
			Authorization: `Bearer ${organization.testKey}`,
			'X-Organization-ID': organization.id,
		},
	});
	const { tenantId, businessUnitId, customerToken } = organization;
	const plain = options.profile === 'alternate';
	const headers: ICredentialDataDecryptedObject = plain
		? {
				contractOverrides: true,
				dialect: JSON.stringify({
					workspace: { tenantHeader: 'Tenant-ID', businessUnitHeader: 'Business-Unit-ID' },
				}),
			}
		: {};
	const create: Service['create'] = async (path, body, key = organization.testKey) => {
		const headers = { Authorization: `Bearer ${key}` };
		return unwrapRecord((await client.post<Envelope>(path, body, { headers })).data);
	};
	return {
		url: sandbox.url,
		sandbox,
		organization,
		credential: {
			environment: 'production',
			baseUrl,
			sandboxUrl: '',
			apiKey: organization.testKey,
			organizationId: organization.id,
			rateLimit: 'off',
		},
		customer: {
			role: 'customer',
			baseUrl,
			token: customerToken,
			tenantId,
			businessUnitId,
			...headers,
		},
		operator: { role: 'operator', baseUrl, token: sandbox.operatorToken, ...headers },
		client,
		read: async (path) => unwrapRecord((await client.get<Envelope>(path)).data),
		list: async (path) => {
			const records: IDataObject[] = [];
			let cursor: string | undefined;
			for (let page = 1; page < 100; page++) {
				const params = cursor ? { cursor } : { page };
				const { data } = await client.get<Envelope>(path, { params });
				const found = unwrapList(data);
				records.push(...found);
				cursor = data.next_cursor;
				const { has_more: more } = (data.pagination ?? {}) as IDataObject;
				if (found.length === 0 || (!cursor && !more)) break;
			}
			return records;
		},
		create,
		addDocument: async (dossier, fields, content = Buffer.from('x')) =>
			await create(`/dossiers/${encodeURIComponent(String(dossier))}/documents`, {
				file_name: 'a.txt',
				mime_type: 'text/plain',
				category: 'other',
				content_base64: content.toString('base64'),
				...fields,
			}),
		control: async <T,>(method: 'get' | 'post' | 'delete', path: string, body?: IDataObject) =>
			(
				await axios.request<T>({
					method,
					url: `${sandbox.url}/_sandbox/api${path}`,
					data: body,
					httpAgent,
				})
			).data,
		stop: () => sandbox.close(),
	};
}

/** A service for all tests of the file or block that calls this. */
export const useService = (options?: SandboxOptions): Service =>
	useStarted(async () => await startService(options));

/** The value of a resource locator in the mode By ID. */
export const byId = (value: unknown): INodeParameterResourceLocator => ({
	__rl: true,
	mode: 'id',
	value: value as string,
});

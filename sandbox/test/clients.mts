import { request } from 'node:http';
import waitFor from 'p-wait-for';
import axios from 'axios';
import type { AxiosInstance, AxiosResponse } from 'axios';
import { describeControl } from '../src/control/documents.mts';
import type { Sandbox, SeededOrganization } from '../src/index.mts';
import { day, hour, minute, second } from '../src/platform/clock.mts';
import { parseObject, readMembers } from '../src/platform/json.mts';

/** All that a client needs to know of a sandbox, which may run in another process. */
type Address = Pick<Sandbox, 'url'>;

export { second, minute, hour, day };

/** A client that shares no code with the service. It returns answers of every status and throws none. */
function createClient(baseURL: string, headers: Record<string, string> = {}): AxiosInstance {
	const maxBodyLength = Infinity;
	return axios.create({
		baseURL,
		headers,
		maxBodyLength,
		validateStatus: () => true,
		proxy: false,
	});
}

/** A client of the integration API. */
export function connect(
	{ url }: Address,
	{ id, liveKey }: Pick<SeededOrganization, 'id' | 'liveKey'>,
	key = liveKey,
): AxiosInstance {
	const headers = { Authorization: `Bearer ${key}`, 'X-Organization-ID': id };
	return createClient(`${url}/v1`, headers);
}

/** A client of `/api/v1` that is not signed in. */
export function connectPublic({ url }: Address): AxiosInstance {
	return createClient(`${url}/api/v1`);
}

/** The headers of a customer's request. */
export function customerHeaders(
	{ customerToken, tenantId, businessUnitId }: SeededOrganization,
	prefix = 'X-',
): Record<string, string> {
	return {
		Authorization: `Bearer ${customerToken}`,
		[`${prefix}Tenant-ID`]: tenantId,
		[`${prefix}Business-Unit-ID`]: businessUnitId,
	};
}

/** A client of a customer. The profile `alternate` has the context headers without the prefix `X-`. */
export function connectCustomer(
	{ url }: Address,
	organization: SeededOrganization,
	prefix?: string,
): AxiosInstance {
	return createClient(`${url}/api/v1`, customerHeaders(organization, prefix));
}

export function connectOperator({ url, operatorToken }: Sandbox): AxiosInstance {
	return createClient(`${url}/api/v1`, { Authorization: `Bearer ${operatorToken}` });
}

/** A client of the control API, for what the control of a sandbox does not do, or refuses. */
export function connectControl({ url }: Address): AxiosInstance {
	return createClient(`${url}/_sandbox/api`);
}

/** Every operation in the document of the control room. */
export function listControlOperations() {
	const { paths } = parseObject(JSON.stringify(describeControl('http://127.0.0.1')));
	return readMembers(paths).flatMap(([path, item]) =>
		readMembers(item).map(([method, { operationId, requestBody }]) => ({
			method: method.toUpperCase(),
			path,
			operationId,
			requestBody,
		})),
	);
}

/** The token at the end of a link. */
export function readToken(link: string | null | undefined): string {
	return link?.split('/').at(-1) ?? '';
}

/** The organization that every sandbox has on this plan. */
export function findOrganization(
	{ organizations }: Pick<Sandbox, 'organizations'>,
	plan: SeededOrganization['plan'],
): SeededOrganization {
	const organization = organizations.find((one) => one.plan === plan);
	if (!organization) throw new Error(`The sandbox has no ${plan} organization.`);
	return organization;
}

let people = 0;

/** An address and a phone number that no other test uses. */
export function makePerson() {
	people += 1;
	return {
		email: `person-${people}@client.example`,
		phone: `+49151${String(people).padStart(8, '0')}`,
	};
}

/** Invites a new person, and returns the portal user's id and the token of the invitation. */
export async function invitePerson(client: AxiosInstance) {
	const person = makePerson();
	const { data } = await client.post('/portal/invite', { ...person, dossier_ids: [] });
	return { ...person, id: String(data.portal_user_id), token: readToken(data.invite_url) };
}

/** The JSON body of an upload. */
export function makeUpload(content: Buffer | string, more: Record<string, unknown> = {}) {
	return {
		file_name: 'note.txt',
		mime_type: 'text/plain',
		category: 'other',
		content_base64: Buffer.from(content).toString('base64'),
		...more,
	};
}

/** The form of an upload as browsers and Node send it, with the file last. */
export function makeForm(
	content: Buffer | string,
	fileName: string,
	fields: Record<string, string> = {},
	type = '',
): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries({ category: 'other', ...fields }))
		form.append(name, value);
	form.append('file', new Blob([content], { type }), fileName);
	return form;
}

/** The status and the error code of an answer, and the status that the body repeats. */
export function readRefusal({ status, data }: Pick<AxiosResponse, 'status' | 'data'>) {
	return { status, code: data.error?.code, repeated: data.error?.status };
}

/** What `readRefusal` reads from an error with this status and code. */
export function refused(status: number, code: string) {
	return { status, code, repeated: status };
}

/** Expects a refusal with this status and error code. */
export function expectRefusal(
	answer: Parameters<typeof readRefusal>[0],
	status: number,
	code: string,
): void {
	expect(readRefusal(answer)).toEqual(refused(status, code));
}

/** Begins a request of a client, whose body can be written piece by piece. */
export function openCall(
	{ defaults: { baseURL, headers } }: AxiosInstance,
	path: string,
	{ method = 'POST', ...more }: Record<string, string | number> = {},
) {
	const { Authorization, 'X-Organization-ID': id } = headers;
	const own = { Authorization: String(Authorization), 'X-Organization-ID': String(id) };
	const call = request(`${baseURL}${path}`, {
		method: String(method),
		headers: { ...own, ...more },
	});
	const broken = new Promise((resolve) => call.on('error', resolve));
	return Object.assign(call, {
		/** Breaks the connection. */
		hangUp: async () => {
			call.destroy();
			await broken;
		},
	});
}

/** Waits for something outside this process, or that no call can wait for. Throws after two minutes. */
export async function waitUntil(happened: () => boolean | Promise<boolean>): Promise<void> {
	await waitFor(happened, { interval: 1, timeout: 120 * second });
}

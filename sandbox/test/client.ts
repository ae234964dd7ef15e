import axios from 'axios';
import type { AxiosInstance } from 'axios';
import type { Sandbox, SeededOrganization } from '../src/index.ts';

/** A client of the service that shares no code with it. Every status is an answer, none is thrown. */
export function clientOf(
	{ url }: Pick<Sandbox, 'url'>,
	organization: SeededOrganization,
	key: string = organization.liveKey,
): AxiosInstance {
	return axios.create({
		baseURL: `${url}/v1`,
		headers: { Authorization: `Bearer ${key}`, 'X-Organization-ID': organization.id },
		validateStatus: () => true,
		maxBodyLength: Infinity,
		proxy: false,
	});
}

/** The organization of a plan that every sandbox has. */
export function organizationOf(
	sandbox: Sandbox,
	plan: SeededOrganization['plan'],
): SeededOrganization {
	const organization = sandbox.organizations.find((one) => one.plan === plan);
	if (!organization) throw new Error(`The sandbox has no ${plan} organization.`);
	return organization;
}

/** The JSON body of an upload. */
export function uploadOf(content: Buffer | string, more: Record<string, unknown> = {}) {
	return {
		file_name: 'note.txt',
		mime_type: 'text/plain',
		category: 'other',
		content_base64: Buffer.from(content).toString('base64'),
		...more,
	};
}

/** The error code and status of an answer, and that its status says the same. */
export function refusalOf({
	status,
	data,
}: {
	status: number;
	data: { error?: { code: string; status: number } };
}) {
	return { status, code: data.error?.code, repeated: data.error?.status };
}

export function refused(status: number, code: string) {
	return { status, code, repeated: status };
}

/** A form as browsers and Node send it, the file last. */
export function formOf(
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

/** Waits for something that another process or the file system does, and fails after five seconds. */
export async function waitUntil(happened: () => boolean): Promise<void> {
	const until = Date.now() + 5000;
	while (!happened()) {
		if (Date.now() > until) throw new Error('It did not happen within five seconds.');
		await new Promise((resolve) => setImmediate(resolve));
	}
}

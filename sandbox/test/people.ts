import axios from 'axios';
import type { AxiosInstance } from 'axios';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { controlOf } from './control.ts';

const client = (url: string, headers: Record<string, string>): AxiosInstance =>
	axios.create({ baseURL: `${url}/api/v1`, headers, validateStatus: () => true, proxy: false });

/** A client that is not signed in. */
export function publicOf({ url }: Pick<Sandbox, 'url'>): AxiosInstance {
	return client(url, {});
}

/** A client that is signed in as the customer of an organization. `plain` names the headers as the profile `alternate` does. */
export function customerOf(
	{ url }: Pick<Sandbox, 'url'>,
	{ customerToken, tenantId, businessUnitId }: SeededOrganization,
	plain = false,
): AxiosInstance {
	const x = plain ? '' : 'X-';
	return client(url, {
		Authorization: `Bearer ${customerToken}`,
		[`${x}Tenant-ID`]: tenantId,
		[`${x}Business-Unit-ID`]: businessUnitId,
	});
}

export function operatorOf({ url, operatorToken }: Sandbox): AxiosInstance {
	return client(url, { Authorization: `Bearer ${operatorToken}` });
}

export interface Letter {
	n: number;
	channel: string;
	to: string | null;
	subject: string | null;
	text: string;
	link: string | null;
	code: string | null;
	image: string | null;
}

/** What reached a mailbox or a phone, the newest first; everything where no recipient is named. */
export async function lettersTo(sandbox: Sandbox, to?: string): Promise<Letter[]> {
	const { data } = await controlOf(sandbox).client.get('/outbox', { params: { to } });
	return data.data;
}

/** What a link ends with. */
export function tokenIn(link: string | null | undefined): string {
	return link?.split('/').at(-1) ?? '';
}

/** Whether a session goes on, and whose it is. */
export async function sessionOf(sandbox: Sandbox, token: string) {
	const headers = { Authorization: `Bearer ${token}` };
	return (await controlOf(sandbox).client.get('/portal/session', { headers })).data;
}

let count = 0;

/** An address and a number that no other test uses. */
export function somebody() {
	count += 1;
	return {
		email: `person-${count}@client.example`,
		phone: `+49151${String(count).padStart(8, '0')}`,
	};
}

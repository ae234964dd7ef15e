/** Records in the sandbox that operations work on, created and read past n8n. */
import axios from 'axios';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { Live } from './live.ts';

interface Message {
	channel: string;
	subject: string | null;
	link: string | null;
	code: string | null;
}

export type Held = ReturnType<typeof openHeld>;

export function openHeld(live: Live) {
	/** Makes a record; gives what the service says of it. */
	async function make<T = { id: string }>(path: string, body: IDataObject): Promise<T> {
		const { status, data } = await live.service.post<T>(path, body);
		expect([path, status]).toEqual([path, 201]);
		return data;
	}

	const dossier = async (fields: IDataObject = {}): Promise<string> =>
		(await make('/dossiers', { title: 'Held', ...fields })).id;

	return {
		live,
		make,
		dossier,

		/** A dossier among the live data, which a customer works on. */
		customersDossier: async (): Promise<string> => {
			const { liveKey } = live.organization;
			const headers = { Authorization: `Bearer ${liveKey}` };
			const body = { title: 'Held', description: 'Stays' };
			return (await live.service.post<{ id: string }>('/dossiers', body, { headers })).data.id;
		},

		/** A document with this content, and its dossier. */
		document: async (content: Buffer): Promise<{ id: string; dossier: string }> => {
			const parent = await dossier();
			const { id } = await make(`/dossiers/${parent}/documents`, {
				file_name: 'held.bin',
				mime_type: 'application/octet-stream',
				category: 'tax',
				content_base64: content.toString('base64'),
			});
			return { id, dossier: parent };
		},

		/** Somebody who was invited to the portal; gives the ID of the portal user. */
		portalUser: async (person: IDataObject): Promise<string> => {
			const body = { dossier_ids: [], ...person };
			return (await make<{ portal_user_id: string }>('/portal/invite', body)).portal_user_id;
		},

		/** A record as the service has it now, and the status of the answer. */
		read: async (kind: string, id: unknown): Promise<{ status: number; data: IDataObject }> => {
			const { status, data } = await live.service.get<IDataObject>(`/${kind}/${String(id)}`);
			return { status, data };
		},

		/** What is below `/api/v1`, without a login or with that of the customer. */
		open: axios.create({
			baseURL: `${live.sandbox.url}/api/v1`,
			headers: {
				Authorization: `Bearer ${live.organization.customerToken}`,
				'X-Tenant-ID': live.organization.tenantId,
				'X-Business-Unit-ID': live.organization.businessUnitId,
			},
			proxy: false,
		}),

		/** The content of a document, as the service has it. */
		downloadContent: async (
			document: unknown,
			key = live.organization.testKey,
		): Promise<Buffer> => {
			const { data } = await live.service.get<Buffer>(`/documents/${String(document)}/download`, {
				responseType: 'arraybuffer',
				headers: { Authorization: `Bearer ${key}` },
			});
			return Buffer.from(data);
		},

		/** The newest message to an address or a number. */
		messageTo: async (to: string): Promise<Message> => {
			const { data } = await live.control.get<{ data: Message[] }>('/outbox', { params: { to } });
			const [message] = data.data;
			if (!message) throw new Error(`Nothing was sent to ${to}.`);
			return message;
		},

		/** The file that an item carries, wherever n8n keeps it. */
		readBinary: async (binary: IBinaryData | undefined): Promise<Buffer> => {
			if (!binary?.id) return Buffer.from(binary?.data ?? '', 'base64');
			const { data } = await live.session.get<Buffer>('/binary-data', {
				params: { id: binary.id, action: 'download' },
				responseType: 'arraybuffer',
			});
			return Buffer.from(data);
		},
	};
}

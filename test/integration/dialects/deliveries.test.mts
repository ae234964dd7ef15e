/** Triggers at services that sign deliveries and name what is in them in their own way. */
import { createHmac } from 'node:crypto';
import axios from 'axios';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { credentialFor, speaking } from '../requests.mts';
import type { TriggerHost } from '../triggerHost.mts';
import { awaitExecutions, useTriggers } from '../triggers.mts';

const { trigger } = useTriggers();

/** A trigger whose registration and secret a person enters: the service is not called. */
const receiveWith = async (
	dialect: IDataObject,
	webhookSecret: string,
	parameters: INodeParameters = {},
) =>
	await trigger({
		credential: {
			...credentialFor('http://127.0.0.1:9'),
			...speaking(dialect),
			tolerance: 300,
			webhookSecret,
		},
		parameters: { registration: 'manual', events: ['*'], ...parameters },
		workflowId: JSON.stringify([dialect, parameters]),
	});

const send = async (host: TriggerHost, body: string, own: Record<string, string>) => {
	const headers = { 'Content-Type': 'application/json', ...own };
	return (await axios.post(host.url, body, { headers, validateStatus: () => true })).status;
};

describe('A signature', () => {
	const SECRET = 'c2VjcmV0LXNlY3JldC1zZWNyZXQ=';
	const ID = 'msg_1';
	interface Signed {
		body: string;
		url: string;
		at: number;
		secret?: string;
	}
	type Sign = (signed: Signed) => Record<string, string>;

	const mac = (key: string | Buffer, content: string, encoding: 'hex' | 'base64' | 'base64url') =>
		createHmac('sha256', key).update(content).digest(encoding);
	const seconds = (at: number) => String(Math.floor(at / 1000));
	const inHex = Buffer.from('a secret').toString('hex');
	const inBase64 = `whsec_${SECRET}`;

	/** What each service signs and sends, written without the package's own code. */
	const SCHEMES: Array<[name: string, dialect: IDataObject, sign: Sign, secret?: string]> = [
		[
			'time and signature in one header, the other way round',
			{ header: 'X-Sig', format: 'v1={signature};ts={timestamp}', content: '{timestamp}.{body}' },
			({ body, at, secret = SECRET }) => ({
				'X-Sig': `v1=${mac(secret, `${seconds(at)}.${body}`, 'hex')};ts=${seconds(at)}`,
			}),
		],
		[
			'id, milliseconds and body, in base64',
			{
				header: 'X-Digest',
				content: '{id}:{timestamp}:{body}',
				encoding: 'base64',
				timestampHeader: 'X-Sent',
				idHeader: 'X-Message',
			},
			({ body, at, secret = SECRET }) => ({
				'X-Digest': mac(secret, `${ID}:${at}:${body}`, 'base64'),
				'X-Sent': String(at),
				'X-Message': ID,
			}),
		],
		[
			'the body before a date, with a hex key',
			{
				header: 'X-Signature',
				format: 'HMAC-SHA256 {signature}',
				content: '{body}\n{timestamp}',
				timestampHeader: 'X-Date',
				secretEncoding: 'hex',
				encoding: 'hex',
			},
			({ body, at, secret = inHex }) => {
				const date = new Date(at).toISOString();
				const key = Buffer.from(secret, 'hex');
				return {
					'X-Signature': `HMAC-SHA256 ${mac(key, `${body}\n${date}`, 'hex').toUpperCase()}`,
					'X-Date': date,
				};
			},
			inHex,
		],
		[
			'several signatures in base64url, with a base64 key',
			{
				header: 'Svix-Signature',
				format: 'v1,{signature}',
				content: '{id}.{timestamp}.{body}',
				encoding: 'base64',
				secretEncoding: 'base64',
				timestampHeader: 'Svix-Timestamp',
				idHeader: 'Svix-Id',
			},
			({ body, at, secret = inBase64 }) => {
				const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
				const own = mac(key, `${ID}.${seconds(at)}.${body}`, 'base64url');
				return {
					'Svix-Signature': `v1,${mac('old', body, 'base64')} v1,${own}`,
					'Svix-Timestamp': seconds(at),
					'Svix-Id': ID,
				};
			},
			inBase64,
		],
		[
			'the address that is called, time and body',
			{ header: 'X-Sig', content: '{url}{timestamp}{body}', timestampHeader: 'X-Sent' },
			({ body, url, at, secret = SECRET }) => ({
				'X-Sig': mac(secret, `${url}${seconds(at)}${body}`, 'hex'),
				'X-Sent': seconds(at),
			}),
		],
	];

	it.each(SCHEMES)(
		'of %s is verified, and no forged or stale one is',
		async (_, dialect, sign, secret = SECRET) => {
			const host = await receiveWith({ signature: dialect }, secret);
			const now = Date.now();
			let count = 0;
			const makeBody = () => JSON.stringify({ event: 'dossier.created', data: { n: ++count } });
			const body = makeBody();
			const { url } = host;
			const genuine = sign({ body, url, at: now });
			const stale = sign({ body, url, at: now - 600_000 });
			const refused: Array<[string, string, Record<string, string>]> = [
				['other bytes', makeBody(), genuine],
				[
					'another secret',
					body,
					sign({ body, url, at: now, secret: 'd2VnLXdlZy13ZWctd2VnLXdlZw==' }),
				],
				['an old time', body, stale],
				['a time to come', body, sign({ body, url, at: now + 600_000 })],
				['no signature', body, {}],
			];
			for (const [header, value] of Object.entries(genuine)) {
				const { [header]: _, ...without } = genuine;
				refused.push([`no ${header}`, body, without]);
				if (value !== stale[header])
					refused.push([
						`${header} of another delivery`,
						body,
						{ ...genuine, [header]: stale[header] ?? '' },
					]);
				if (value === ID) refused.push(['another id', body, { ...genuine, [header]: 'msg_2' }]);
			}
			for (const [why, bytes, headers] of refused)
				expect([why, await send(host, bytes, headers)]).toEqual([why, 401]);
			expect(await send(host, body, genuine)).toBe(200);
			await awaitExecutions(host, 1);
			const id = Object.values(genuine).includes(ID) ? ID : null;
			expect(host.executions[0]?.[0]?.json).toMatchObject({ data: { n: 1 }, delivery: { id } });
		},
	);
});

describe('The data of an event', () => {
	const DIALECT = {
		naming: 'camelCase',
		dossier: { values: { status: { open: 'OPEN' } } },
		document: { values: { category: { tax: 'TAX' } } },
	};
	const EVENTS: Array<[event: string, sent: IDataObject, read: IDataObject]> = [
		[
			'dossier.created',
			{ dossier: { id: 'd1', color: 'red' }, title: 'T', status: 'OPEN', createdBy: 'u1' },
			{
				dossier_id: 'd1',
				title: 'T',
				dossier: { color: 'red' },
				status: 'open',
				created_by: 'u1',
			},
		],
		[
			'document.deleted',
			{ documentId: 'f1', dossierId: 'd1', category: 'TAX', extra: 1 },
			{ document_id: 'f1', dossier_id: 'd1', category: 'tax', extra: 1 },
		],
		[
			'portal.user_accessed',
			{ portalUser: { id: 'p1' }, method: 'sms' },
			{ portal_user_id: 'p1', method: 'sms' },
		],
		[
			'portal.user_invited',
			{ portalUserId: 'p1', inviteId: 'i1', dossierIds: ['d1'], invitedBy: 'u1' },
			{ portal_user_id: 'p1', invite_id: 'i1', dossier_ids: ['d1'], invited_by: 'u1' },
		],
		[
			'task.due_soon',
			{ taskId: 't1', dossierId: 'd1', dueAt: '2026-01-01T00:00:00Z' },
			{ task_id: 't1', dossier_id: 'd1', due_at: '2026-01-01T00:00:00Z' },
		],
		// The data of this event is given.
		['document.uploaded', { document_id: 'f1', kind: 'TAX' }, { document_id: 'f1', kind: 'TAX' }],
	];

	async function receive(event: string, data: IDataObject, parameters: INodeParameters = {}) {
		const host = await receiveWith(DIALECT, 'a-secret', parameters);
		const body = JSON.stringify({ event, data });
		const signature = createHmac('sha256', 'a-secret').update(body).digest('hex');
		expect(await send(host, body, { 'X-Webhook-Signature': signature })).toBe(200);
		return host;
	}

	it.each(EVENTS)(
		'%s comes under the names of this package, or as sent',
		async (event, sent, read) => {
			const host = await receive(event, sent);
			await awaitExecutions(host, 1);
			expect(host.executions[0]?.[0]?.json.data).toEqual(read);
			const raw = await receive(event, sent, { options: { rawRecords: true } });
			await awaitExecutions(raw, 1);
			expect(raw.executions[0]?.[0]?.json.data).toEqual(sent);
		},
	);

	it('is filtered by the names and words of this package', async () => {
		const filtered = async (filters: INodeParameters) =>
			(await receive('document.deleted', { dossierId: 'd1', category: 'TAX' }, { filters })).begins;
		expect(await filtered({ dossiers: ['d1'], categories: 'tax' })).toBe(1);
		expect(await filtered({ dossiers: ['d2'] })).toBe(0);
		expect(await filtered({ categories: 'invoice' })).toBe(0);
	});
});

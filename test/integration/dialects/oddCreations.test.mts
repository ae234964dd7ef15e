/** Answers to creations that say less, or otherwise, than what was made. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readBinary, runDossier, useBinaryMode } from '../n8n.mts';
import { carry, speaking, uploadTo } from '../requests.mts';
import { answering, useFakes } from '../fakeService.mts';
import { byId } from '../service.mts';

beforeAll(async () => await useBinaryMode('default'));

const fake = useFakes();

async function run(parameters: INodeParameters, status: number, answer?: IDataObject) {
	const json = { 'Content-Type': 'application/json' };
	const { credential } = await fake(answering(status, answer && JSON.stringify(answer), json));
	return await runDossier({ parameters, credential, items: [carry('a.txt', 'a')] });
}

it.each([
	['dossier', { title: 'One' }],
	['task', { title: 'One' }],
])(
	'does not take the id of the work that a service began for that of a %s',
	async (resource, given) => {
		const job = { job: { id: 'job_1', status: 'queued', created_at: '2026-01-01T00:00:00Z' } };
		const { error, items } = await run({ resource, operation: 'create', ...given }, 202, job);
		expect(items).toEqual([]);
		expect(error?.message).toContain('does not show what it made');
	},
);

it.each([
	['dossier', { operation: 'create', title: 'One' }, undefined],
	[
		'dossier',
		{ operation: 'create', title: 'One' },
		{ status: 'queued', message: 'The archive is busy' },
	],
	['task', { operation: 'create', title: 'One' }, { ok: true }],
	['document', uploadTo('1'), undefined],
])(
	'does not count a new %s as made if the answer does not show it',
	async (resource, given, answer) => {
		const { error, items } = await run({ resource, ...given }, 200, answer);
		expect(items).toEqual([]);
		expect(error?.message).toContain('with status 200, but does not show what it made');
		expect(error?.description).toContain('Look for it in the service');
	},
);

it('gives out the address of an invitation that stands beside the person', async () => {
	const invite_url = 'https://portal.example.com/i/1';
	const answer = { user: { id: '1', email: 'a@example.com' }, invite_url, message: 'Sent' };
	const invite = { resource: 'portalUser', operation: 'invite', email: 'a@example.com' };
	const { items } = await run(invite, 201, answer);
	expect(items.map(({ json }) => json)).toEqual([
		{ skipped: false, id: '1', email: 'a@example.com', invite_url },
	]);
});

it('stores a QR code that stands beside the person under the name of the dialect', async () => {
	const png = Buffer.from('89504e470d0a1a0a', 'hex');
	const answer = { user: { id: '1', email: 'a@example.com' }, picture: png.toString('base64') };
	const { credential } = await fake(
		answering(201, JSON.stringify(answer), { 'Content-Type': 'application/json' }),
	);
	const { items } = await runDossier({
		parameters: { resource: 'portalUser', operation: 'inviteQr' },
		credential: {
			...credential,
			...speaking({ invitation: { fields: { 'qr.data_url': 'picture' } } }),
		},
	});
	expect(await readBinary(items[0]?.binary?.data)).toEqual(png);
});

it.each([
	[
		'a new task',
		{ resource: 'task', operation: 'create', title: 'One', fields: { description: 'New' } },
		'description',
	],
	[
		'a changed task',
		{ resource: 'task', operation: 'update', taskId: byId('1'), fields: { description: 'New' } },
		'description',
	],
	['an uploaded document', { ...uploadTo('1'), options: { title: 'New' } }, 'title'],
])('hints at a text that %s lacks', async (_, parameters, text) => {
	const record = { id: '1', title: 'One', file_name: 'a.txt', size_bytes: 1 };
	const shown = await run(parameters, 200, { ...record, [text]: 'New' });
	const dropped = await run(parameters, 200, { ...record, description: 'Old' });
	expect([shown.error, dropped.error]).toEqual([undefined, undefined]);
	const withoutPlace = ({ hints }: typeof shown) =>
		hints.filter((hint) => !hint.startsWith('Files uploaded: 1, in '));
	expect([shown, dropped].map(withoutPlace)).toEqual([
		[],
		[expect.stringContaining('does not show every field that was sent')],
	]);
});

it.each([
	['invite', { email: 'a@example.com' }],
	['inviteQr', { qrFormat: 'png' }],
])(
	'does not count a person as invited (%s) if no invitation is shown',
	async (operation, given) => {
		const said = { success: 'true', message: 'The portal is closed', state: 'error' };
		for (const answer of [undefined, {}, said, { id: null, qr: 'data:image/png;base64,!!!!' }]) {
			const { error, items } = await run(
				{ resource: 'portalUser', operation, ...given },
				202,
				answer,
			);
			expect(items).toEqual([]);
			expect(error?.message).toContain('with status 202, but does not show what it made');
		}
	},
);

const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
const DRAWING = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>';
const invitation = {
	resource: 'portalUser',
	operation: 'inviteQr',
	dossierIds: ['1'],
	qrFormat: 'png',
	binaryPropertyName: 'code',
};

it.each([
	['a PNG in base64 without a data URL', { qr: { png: PIXEL } }, 'image/png', 'PNG'],
	['an SVG as text', { code: DRAWING }, 'image/svg+xml', '<svg'],
	[
		'an SVG in base64',
		{ a: { b: { c: Buffer.from(DRAWING).toString('base64') } } },
		'image/svg+xml',
		'<svg',
	],
])('finds a QR code by its content: %s', async (_, answer, mimeType, content) => {
	const { items } = await run(invitation, 201, { id: 'inv_1', state: 'pending', ...answer });
	expect(items[0]?.binary?.code?.mimeType).toBe(mimeType);
	expect((await readBinary(items[0]?.binary?.code)).toString('latin1')).toContain(content);
});

it.each([
	['only a link', { id: 'inv_1', qr: { link: 'https://example.com/1' } }],
	['an image of another kind', { id: 'inv_1', qr: 'UklGRiQAAABXRUJQVlA4' }],
	['the address alone', { link: 'https://example.com/1' }],
])('gives out an invitation whose answer has %s in place of a QR code', async (_, answer) => {
	const { items, hints, error } = await run(invitation, 201, answer);
	expect(error).toBeUndefined();
	expect(items[0]?.json).toEqual(answer);
	expect(items[0]?.binary?.code).toBeUndefined();
	expect(hints).toEqual([expect.stringContaining('The invitation was made, but')]);
});

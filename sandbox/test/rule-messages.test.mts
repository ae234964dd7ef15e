import { isObject } from '../src/platform/json.mts';
import type { Json } from '../src/platform/json.mts';
import { readContract } from '../src/contract/contract.mts';
import { describeErrors } from '../src/contract/details.mts';
import { expectRefusal, makeUpload } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, anyone, control } = useSandbox();

/** Every pattern below a place of the contract, with its references followed. */
function findPatterns(place: Json | undefined, seen = new Set<string>()): string[] {
	if (Array.isArray(place)) return place.flatMap((one) => findPatterns(one, seen));
	if (!isObject(place)) return [];
	if (typeof place.$ref === 'string') {
		if (seen.has(place.$ref)) return [];
		seen.add(place.$ref);
		return findPatterns(contract.resolve(place), seen);
	}
	const own = typeof place.pattern === 'string' ? [place.pattern] : [];
	return [...own, ...Object.values(place).flatMap((one) => findPatterns(one, seen))];
}

const contract = readContract();
const patterns = contract.operations.flatMap(({ parameters, requestBodies }) => [
	...parameters.flatMap((one) => findPatterns(one)),
	...[...requestBodies.values()].flatMap((one) => findPatterns(one)),
]);

test.each([...new Set(patterns)])(
	'the pattern %s of a request has a sentence for people',
	(pattern) => {
		const error = {
			keyword: 'pattern',
			instancePath: '/field',
			schemaPath: '',
			params: { pattern },
		};
		const [detail] = describeErrors([error]);
		expect(detail?.message).toMatch(/^Expected .+\.$/);
		expect(detail?.message).not.toContain(pattern);
	},
);

const person = { email: 'a@b.example', dossier_ids: [] };
const hook = { url: 'http://127.0.0.1:9/', events: ['dossier.created'] };

test.each([
	['/dossiers', { title: 'x'.repeat(201) }, 'title', 'too_long', '200'],
	['/dossiers', { title: '  ' }, 'title', 'invalid_format', 'not blank'],
	['/dossiers', { title: 7 }, 'title', 'wrong_type', 'string'],
	['/dossiers', { title: 'a', status: 'done' }, 'status', 'not_allowed', 'in_progress'],
	[
		'/dossiers',
		{ title: 'a', contact: { email: 'kim' } },
		'contact.email',
		'invalid_format',
		'name@',
	],
	['/dossiers', { title: 'a', contact: 'Jana' }, 'contact', 'wrong_type', 'object'],
	['/dossiers', { title: 'a', due_at: '2026-02-30T00:00Z' }, 'due_at', 'invalid_format', '09:30'],
	['/dossiers', { title: 'a', tags: ['b', ''] }, 'tags.1', 'too_short', ''],
	['/dossiers', { title: 'a', tags: ['a\nb'] }, 'tags.0', 'invalid_format', 'line breaks'],
	['/dossiers', { title: 'a', tags: ['b', 'b'] }, 'tags', 'duplicate', ''],
	['/tasks', { title: 'a', status: 'done' }, 'status', 'not_allowed', 'in_review'],
	['/tasks', { title: 'a', priority: null }, 'priority', 'not_allowed', 'urgent'],
	['/tasks', { title: 'a', due_at: 'tomorrow' }, 'due_at', 'invalid_format', '09:30'],
	['/tasks', { title: 'a', dossier_id: "' OR 1=1 --" }, 'dossier_id', 'not_found', ''],
	[
		'/portal/invite',
		{ ...person, email: 'a@b.de\r\nBcc: c@d.de' },
		'email',
		'invalid_format',
		'name@',
	],
	['/portal/invite', { ...person, phone: '030 1234' }, 'phone', 'invalid_format', '+493012345678'],
	['/portal/invite', { ...person, expires_in_days: 91 }, 'expires_in_days', 'too_large', '90'],
	['/portal/invite', { ...person, first_name: '\u0000' }, 'first_name', 'invalid_format', ''],
	['/portal/invite', { ...person, dossier_ids: ['dos_none'] }, 'dossier_ids.0', 'not_found', ''],
	['/portal/invite', { ...person, dossier_ids: 'dos_none' }, 'dossier_ids', 'wrong_type', 'array'],
	['/portal/invite/qr', { qr_format: 'gif', dossier_ids: [] }, 'qr_format', 'not_allowed', 'png'],
	['/portal/invite/qr', { dossier_ids: ['none'] }, 'dossier_ids.0', 'not_found', ''],
	['/portal/invite', { ...person, expires_in_days: 0 }, 'expires_in_days', 'too_small', '1'],
	['/webhooks', { ...hook, events: [] }, 'events', 'invalid', ''],
	['/webhooks', { ...hook, events: ['dossier.closed'] }, 'events.0', 'not_allowed', 'one of'],
	['/webhooks', { ...hook, events: [...hook.events, ...hook.events] }, 'events', 'duplicate', ''],
	['/webhooks', { ...hook, url: 'ftp://127.0.0.1/hook' }, 'url', 'invalid_format', 'http://'],
	['/webhooks', { ...hook, url: 'http://127.0.0.1:99999/' }, 'url', 'invalid_format', ''],
	['/webhooks', { ...hook, secret: 'short' }, 'secret', 'too_short', '16'],
] as const)(
	'%s refuses %j with 422, stores nothing and says what it expects',
	async (path, body, field, code, words) => {
		const answer = await client.post(path, body);
		expectRefusal(answer, 422, 'VALIDATION_ERROR');
		const message = expect.stringContaining(words);
		expect(answer.data.error.details).toContainEqual({ field, code, message });
		const list = path.startsWith('/portal') ? '/portal/users' : path;
		expect((await client.get(list)).data.pagination.total).toBe(0);
		expect(await control.outbox()).toEqual([]);
	},
);

test.each([
	['/dossiers', { reference: 'R' }, 'title'],
	['/tasks', {}, 'title'],
	['/portal/invite', { dossier_ids: [] }, 'email'],
	['/portal/invite', { email: 'a@b.example' }, 'dossier_ids'],
	['/portal/invite/qr', {}, 'dossier_ids'],
	['/webhooks', { events: hook.events }, 'url'],
	['/webhooks', { url: hook.url }, 'events'],
])('%s refuses %j with 400 and names the field that is missing', async (path, body, field) => {
	const answer = await client.post(path, body);
	expectRefusal(answer, 400, 'MISSING_REQUIRED_FIELD');
	const message = 'This field is required.';
	expect(answer.data.error.details).toEqual([{ field, code: 'required', message }]);
});

test('an upload says what it expects of a name, a type and a category', async () => {
	const { id } = (await client.post('/dossiers', { title: 'Case' })).data;
	const wrong = { file_name: '../a.pdf', mime_type: 'pdf', category: 'Tax Return' };
	const { data } = await client.post(`/dossiers/${id}/documents`, makeUpload('a', wrong));
	const messages = Object.fromEntries(
		data.error.details.map(({ field, message }: Record<string, string>) => [field, message]),
	);
	expect(messages).toEqual({
		file_name: expect.stringContaining('lease.pdf'),
		mime_type: expect.stringContaining('application/pdf'),
		category: expect.stringContaining('identity_document'),
	});
});

test('a code of a sign-in is expected to have six digits', async () => {
	const { data } = await anyone.post('/portal/auth/sms-otp', { challenge_id: 'otp_1', code: '12' });
	expect(data.error.message).toContain('six digits');
});

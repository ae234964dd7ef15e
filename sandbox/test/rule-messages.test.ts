import { isObject } from '../src/platform/json.ts';
import type { Json } from '../src/platform/json.ts';
import { readContract } from '../src/contract/contract.ts';
import { describeErrors } from '../src/contract/details.ts';
import { makeUpload } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, anyone } = useSandbox();

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

const refusals: [string, object, string, RegExp][] = [
	['/dossiers', { title: ' ' }, 'title', /not blank/],
	['/dossiers', { title: 'a', tags: ['a\nb'] }, 'tags.0', /line breaks/],
	['/dossiers', { title: 'a', contact: { email: 'kim' } }, 'contact.email', /name@example.com/],
	[
		'/portal/invite',
		{ email: 'kim@client.example', phone: '030 1234', dossier_ids: [] },
		'phone',
		/\+493012345678/,
	],
	['/webhooks', { url: 'hook', events: ['dossier.created'] }, 'url', /http:\/\//],
	['/tasks', { title: 'a', due_at: 'tomorrow' }, 'due_at', /2026-03-02T09:30:00Z/],
];

test.each(refusals)('%s says what it expects of %j', async (path, body, field, sentence) => {
	const { status, data } = await client.post(path, body);
	expect(status).toBe(422);
	const detail = data.error.details.find((one: { field: string }) => one.field === field);
	expect(detail.message).toMatch(sentence);
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

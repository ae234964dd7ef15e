/** Check Contract leaves nothing behind and touches nothing of others, whatever a service calls its identifiers. */
import { toText } from '../../../nodes/Dossier/api/json';
import { describeRefusal } from '../../../nodes/Dossier/resources/service/check/refusals';
import { runDossier } from '../n8n.mts';
import { useMany } from '../started.mts';
import { startForeignService } from './foreignService.mts';
import { MANNERS } from './manners.mts';
import type { Json, Manners } from './manners.mts';

const named: Manners = { ...MANNERS.camelCase, idName: 'key' };

const startForeign = useMany(startForeignService);

async function check(
	manners: Manners,
	options?: Parameters<typeof startForeignService>[1],
	others: Json[] = [],
) {
	const service = await startForeign(manners, options);
	service.store.dossiers.push(...others);
	const { items, error } = await runDossier({
		parameters: { resource: 'service', operation: 'checkContract', tryWriting: true },
		credential: service.credential,
	});
	expect(error).toBeUndefined();
	expect(service.countRequests()).toBeLessThanOrEqual(40);
	const left = toText(items.at(-1)?.json.left) ?? '';
	return { left, store: service.store, dialect: toText(items.at(-1)?.json.dialect) ?? '' };
}

const NOTHING = { dossiers: [], documents: [], tasks: [] };

it.each<[string, Manners]>([
	['is called otherwise', named],
	[
		'is called otherwise, and the answer has one of its own',
		{ ...named, one: ({ bytes: _, ...record }, status) => [status, { id: 'req_1', it: record }] },
	],
	[
		'is called otherwise, and the record has a number under its name',
		{ ...named, one: ({ bytes: _, ...record }, status) => [status, { id: 70, it: record }] },
	],
])('deletes everything if the identifier %s', async (_, manners) => {
	const { left, store, dialect } = await check(manners);
	expect(store).toEqual(NOTHING);
	expect(left).toBe('');
	const found = { fields: { id: 'key' } };
	expect(JSON.parse(dialect)).toMatchObject({ dossier: found, document: found });
});

it('deletes everything if the service wants to be told the version of what it deletes', async () => {
	const { left, store } = await check(MANNERS.camelCase, { version: '"7"' });
	expect(store).toEqual(NOTHING);
	expect(left).toBe('');
});

it('keeps enough requests back to delete all of it so, if it needs many to find out how the service speaks', async () => {
	const { list: _, ...dialect } = named.dialect;
	const numbers = () => ({ a: 90, b: 91, c: 92, d: 93, e: 94 });
	const slow: Manners = {
		...named,
		dialect,
		list: (records) => [200, records.map(({ bytes: _, ...one }) => one)],
	};
	const { left, store } = await check(slow, { version: '"7"', number: numbers });
	expect(store).toEqual(NOTHING);
	expect(left).toBe('');
});

it('does not take the record of another for its own', async () => {
	const other = { key: 9, title: 'Of another' };
	const { left, store } = await check(named, { number: () => ({ version: 9 }) }, [other]);
	expect(store).toEqual({ ...NOTHING, dossiers: [other] });
	expect(left).toBe('');
});

it('shows no part of a key that a refusal repeats', () => {
	const body = { message: 'sk_live_abc-def.ghi is unknown' };
	const refusal = { status: 401, headers: {}, body, bytes: Buffer.from(JSON.stringify(body)) };
	expect(describeRefusal(refusal)).toBe('401 {"message": "sk_… is unknown"}');
});

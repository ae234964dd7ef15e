import type { Dialect } from '../src/index.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control } = useSandbox({ lifetime: 'file' });

const dialect: Dialect = {
	naming: 'camelCase',
	list: { size: 'page_size', sort: 'order_by', order: 'direction' },
	dossier: { filters: { created_after: 'since' } },
};

it.each([
	['a filter', dialect, 'since=never', 'since', 'since'],
	['a filter without a name of its own', dialect, 'createdBefore=never', 'createdBefore', ''],
	['the order', dialect, 'order_by=title&direction=up', 'direction', 'one of asc, desc'],
	['what is sorted by', dialect, 'order_by=created_at', 'order_by', 'createdAt'],
	['the size of a page', dialect, 'page_size=1000', 'page_size', 'page_size is 1000'],
	[
		'the size of a page, which keeps its spelling',
		{ naming: 'camelCase' },
		'per_page=1000',
		'per_page',
		'',
	],
] as const)(
	'A refusal calls a parameter as the dialect does: %s',
	async (_, spoken, query, field, sentence) => {
		expect((await control.client.put('/dialect', spoken)).status).toBe(200);
		const { status, data } = await client.get(`/dossiers?${query}`);
		expect(status).toBe(400);
		expect(data.error).toMatchObject({ code: 'INVALID_PARAMETER', details: [{ field }] });
		expect(data.error.message).toContain(sentence);
	},
);

import { figure } from '../report/figures.mts';
import type { Figure } from '../report/figures.mts';
import { timeCurl } from '../harness/curl.mts';
import { openSandboxAlone } from '../harness/stage.mts';
import type { Bench } from '../harness/stage.mts';

const TIMES = 21;
const PAGE = 100;
const STATES = 4;

/** Pages of 100 of a long list, with and without filters, at its beginning, in its middle and at its end. */
export async function lists(bench: Bench, dossiers: number): Promise<Figure[]> {
	const sandbox = await openSandboxAlone(bench);
	const { control, organization } = sandbox;
	const owner = { organization_id: organization, environment: 'test' } as const;
	await control.addExamples(owner, { dossiers, documents: 0 });
	const last = dossiers / PAGE;
	const lastOpen = dossiers / STATES / PAGE;
	const asked: Array<[string, string]> = [
		['first page', 'page=1'],
		['middle page', `page=${Math.ceil(last / 2)}`],
		['last page', `page=${last}`],
		['sorted by title, middle page', `sort=title&page=${Math.ceil(last / 2)}`],
		['sorted by due date, descending, last page', `sort=due_at&order=desc&page=${last}`],
		['one state, first page', 'status=open&page=1'],
		['one state, last page', `status=open&page=${lastOpen}`],
		[
			'one state and type, sorted by title, last of its pages',
			buildLastPageQuery('status=open&type=lease&sort=title', dossiers / 12),
		],
		['a frequent word, first page', 'q=Hafenstrasse&page=1'],
		['a frequent word, last page', buildLastPageQuery('q=Hafenstrasse', dossiers / 6)],
		['a rare word', `q=${dossiers - 1}&page=1`],
		['created after a moment, first page', 'created_after=2020-01-01T00:00:00Z&page=1'],
		['one reference that nothing has', 'reference=nothing&page=1'],
	];
	const { url, headers } = sandbox.access;
	const addresses = asked.map(([, query]) => `${url}/dossiers?per_page=${PAGE}&${query}`);
	const request = async (times: number) =>
		await timeCurl(headers, Array<string[]>(times).fill(addresses).flat());
	await request(2);
	const milliseconds = await request(TIMES);
	await sandbox.close();
	return asked.map(([what], at) =>
		figure(
			`list of ${dossiers.toLocaleString('en')}: ${what}`,
			'ms',
			milliseconds.filter((_, n) => n % asked.length === at),
			{ atMost: 20 },
		),
	);
}

/** The last page of what matches a query. */
function buildLastPageQuery(query: string, matches: number): string {
	return `${query}&page=${Math.max(1, Math.floor(matches / PAGE))}`;
}

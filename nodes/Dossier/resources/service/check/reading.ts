import type { Api } from '../../../api/client';
import type { EndpointName } from '../../../api/endpoints';
import { collect } from '../../../api/pages/collect';
import { pages } from '../../../api/pages/pages';
import type { ListCall } from '../../../api/pages/pages';
import type { ServiceRecord } from '../../../dialect/structure';
import { takeProblem } from '../../../problems/problem';
import { noteProblem } from './finding';
import type { Finding } from './finding';
import type { GivenDialect } from './given';
import type { Recorder } from './recorder';

/** A record that the check has made, or may have made, and has to remove. */
export interface Made {
	kind: 'dossier' | 'document';
	/** A text in it that no other record holds. */
	mark: string;
	/** The dossier of a document. */
	within?: string;
	/** The identifier in the answer to its creation, which may be that of something else. */
	shown?: string;
	/** Its identifier, once reading it has shown the mark. */
	id?: string;
}

/** A check under way. */
export interface Check {
	recorder: Recorder;
	given: GivenDialect;
	findings: Finding[];
	made: Made[];
}

/**
 * Does something, and makes a finding of what comes back. If this package cannot use a good answer, the finding says why.
 *
 * @returns `undefined` if it has failed
 * @throws Problem if the execution is cancelled
 */
export async function attempt<T>(
	{ recorder, findings }: Check,
	what: string,
	expected: string,
	work: (api: Api, finding: Finding) => Promise<T>,
): Promise<T | undefined> {
	const finding: Finding = {
		what,
		expected,
		result: 'understood',
		exchanges: [],
		found: [],
		missing: [],
		unknown: [],
		problems: [],
	};
	return await work(recorder.record(finding), finding)
		.catch((error: unknown) => {
			const problem = takeProblem(error);
			if (finding.result !== 'refused') noteProblem(finding, problem);
			return undefined;
		})
		.finally(() => {
			if (finding.exchanges.length) findings.push(finding);
		});
}

/** A list of the service. */
interface List extends ListCall {
	what: string;
	name: EndpointName;
	/** The assumption about the fields of its records. */
	fields: string;
	/** Whether to look how it goes on. */
	isPaged?: boolean;
}

/** The parts of a dialect that say how the next page is asked for. */
const PAGING = ['style', 'page', 'offset', 'cursor', 'size', 'firstPage'];

async function readFirstPage(
	api: Api,
	...list: [EndpointName, ListCall]
): Promise<ServiceRecord[]> {
	for await (const { records } of pages(api, ...list)) return records;
	return [];
}

/** Reads the first page of a list as the operations of this package do, and its first two records as two pages. */
export async function lookAtList(
	check: Check,
	{ what, name, fields, isPaged, ...call }: List,
): Promise<ServiceRecord[]> {
	const expected = `200, a list under "data" beside "pagination" (A-14), with the fields of ${fields}`;
	const read = await attempt(check, what, expected, async (api, { exchanges }) => {
		const records = await readFirstPage(api, name, call);
		if (!isPaged || records.length < 2) return records;
		const before = exchanges.length;
		const two = await collect({ ...api, pageSize: 1 }, name, call, 2).catch((error: unknown) => {
			if (!check.recorder.stopped) check.given.judge('list', PAGING, false);
			throw error;
		});
		// If the first answer has both, the service has no pages, and shows nothing.
		const isWhole = two.length === 2;
		if (!isWhole || exchanges.length > before + 1) check.given.judge('list', PAGING, isWhole);
		return records;
	});
	return read ?? [];
}

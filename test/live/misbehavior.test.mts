/** Every operation of the node, and the worst misbehaviors of a service, in both lines of n8n with their own HTTP helpers. */
import { BEHAVES } from '../table/misbehaviors/index.mts';
import { jobs } from '../table/jobs/jobs.mts';
import { checkContract } from '../table/jobs/checkContract.mts';
import { rows, rowsFor } from '../table/rows.mts';
import { HOSTS, OPENING_MS, openLive } from './live.mts';
import type { Live } from './live.mts';
import { runRows } from './rows.mts';

const WORST = [
	'dossier/get: dossiers.get is silent before the headers, once, going on',
	'dossier/get: dossiers.get closes the connection instead of an answer, once, going on',
	'dossier/get: dossiers.get closes a kept connection when it is used again, stopping',
	'task/create: tasks.create closes a kept connection when it is used again, stopping',
	'dossier/create: dossiers.create closes the connection instead of an answer, once, going on',
	'task/create: tasks.create cuts the answer after 7 bytes, once, going on',
	'document/upload: documents.upload answers 413 before it has read the file, and reads on, going on',
	'document/upload as a form: documents.upload answers 413 before it has read the file, and closes, going on',
	'document/upload: documents.upload stops reading the file, going on',
	'document/upload as a form: documents.upload reads the file for longer than the timeout, going on',
	'document/upload: documents.upload reads the file for longer than the timeout, going on',
	'document/upload from an address: files.get compresses with gzip, going on',
	'document/download: documents.download compresses with gzip, going on',
	'document/download: documents.download is silent in the middle of the body, once, going on',
	'document/download: documents.download drips for longer than the timeout, going on',
	'document/download: documents.download cuts the file in the middle, once, and resumes there, going on',
	'portalUser/inviteQr: portal.inviteQr cuts the answer after 7 bytes, once, going on',
];

const good = rowsFor([...jobs, checkContract]).filter(
	({ misbehavior, continues, target: { job, call } }) =>
		misbehavior.name === BEHAVES && continues && call === job.calls[0],
);
const chosen = [...good, ...rows.filter(({ name }) => WORST.includes(name))];

it('the table has a row for every operation, and each of the worst', () => {
	expect(chosen).toHaveLength(jobs.length + 1 + WORST.length);
});

describe.each(HOSTS)('In %s', (hostName) => {
	let live: Live;
	let found: Map<string, string[]>;
	beforeAll(async () => {
		live = await openLive(hostName);
		found = await runRows(live, hostName, chosen);
	}, 2 * OPENING_MS);
	afterAll(() => live?.close());

	it.each(chosen.map(({ name }) => name))('%s', (name) => {
		expect(found.get(name)).toEqual([]);
	});
});

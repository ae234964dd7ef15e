/** The search of n8n's node panel finds the nodes by the words that people use for what the nodes do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sublimeSearch } from '@n8n/utils/search/sublime-search';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import { DossierPollTrigger } from '../../nodes/Dossier/DossierPollTrigger.node';

const read = (path: string): unknown => JSON.parse(readFileSync(join(__dirname, path), 'utf8'));

const toEntry = (displayName: string, alias: string[]) => ({
	properties: { displayName, codex: { alias } },
});

/** n8n's panel shows the webhook trigger within the entry of the action node, and searches only the aliases of the latter (`useActionsGeneration.ts`). */
const own = [new Dossier(), new DossierPollTrigger()].map(({ constructor, description }) => {
	const codex = read(`../../nodes/Dossier/${constructor.name}.node.json`) as { alias: string[] };
	return toEntry(description.displayName, codex.alias);
});

/** The nodes of n8n 2.40.7 with their aliases, as many of those that it finds best by each of the words as can come before ours. */
const others = Object.entries(read('otherNodes.json') as Record<string, string[]>).map(
	([displayName, alias]) => toEntry(displayName, alias),
);

/** The place of our best node if n8n lists nodes of the same score before it, or `undefined` if it is not found. */
function findPlace(words: string): number | undefined {
	const best = sublimeSearch(words, own)[0];
	if (!best) return undefined;
	return sublimeSearch(words, others).filter(({ score }) => score >= best.score).length + 1;
}

it.each([
	'dossier',
	'dms',
	'document management',
	'documents',
	'document uploaded',
	'tax documents',
	'receipts',
	'contract',
	'records',
	'case file',
	'case management',
	'client file',
	'customer file',
	'client portal',
	'customer portal',
	'portal',
	'portal user',
	'external user',
	'invite',
	'magic link',
	'sign in',
	'signed in',
	'login',
	'sms code',
	'qr code',
	'file intake',
	'file upload',
	'upload document',
	'rename',
	'task due',
	'file received',
	'file storage',
	'sync folder',
	'upload',
	'download',
	'attachment',
	'tasks',
	'task due',
	'due date',
	'reminder',
	'notification',
	'audit log',
	'activity log',
	'compliance',
	'tenant',
	'feature flag',
	'health check',
])('"%s" finds our nodes first', (words) => {
	expect(findPlace(words)).toBe(1);
});

it.each(['document', 'files', 'archive', 'invoice', 'task', 'matter', 'webhook', 'poll'])(
	'"%s", which others are called too, finds our nodes among the first three',
	(words) => {
		expect(findPlace(words)).toBeLessThanOrEqual(3);
	},
);

it('"file" finds our nodes among the first ten, after those that are called so', () => {
	expect(findPlace('file')).toBeLessThanOrEqual(10);
});

it('Our nodes are not found by words for what they do not do', () => {
	expect(['spreadsheet', 'chat model', 'payment'].map(findPlace)).toEqual([
		undefined,
		undefined,
		undefined,
	]);
});

import { capitalize, serviceField } from '../../../dialect/translate';
import { toText } from '../../../api/values';
import { isGood } from './ask';
import type { Leaf } from './ask';
import type { Check } from './notes';
import { negotiate, proveFields } from './offer';
import type { Offer } from './offer';
import { ID_NAMES, learnRecord, locateMade, locateList } from './records';
import { createDemand } from './demand';
import { findPlace, readWhole, writeJson, writeOffers } from './write';
import { learnWords, readChoices, spell } from './words';
import type { Made } from './made';

/** Makes a task, and learns its names and the words of its closed sets. */
export async function createTask(check: Check, made: Made): Promise<void> {
	const kind = 'task' as const;
	const { markers } = made;
	if (!made.dossiers.length) return;
	const place = findPlace(check, kind);
	const taken = await negotiate(check, {
		name: 'tasks.create',
		kind,
		offers: [markers.offer('title', serviceField(check.dialect, kind, 'title'), place)],
		write: writeJson(check, kind),
		demand: createDemand(check, made, { kind, listPlaces: () => [place] }),
		most: 4,
	});
	if (!isGood(taken.seen)) return;
	const answered = locateMade(kind, taken.seen.body, markers.tag);
	if (!answered) return;
	const located = await readWhole(check, kind, answered, taken.offers);
	const { id, leaves } = located;
	made.tasks.push(id);
	const found = learnRecord(check, kind, located, proveFields(taken.offers, leaves));
	const sets = ['status', 'priority'].flatMap((field) => {
		const path = found.get(field);
		return path === undefined ? [] : [{ field, path }];
	});
	const offers: Offer[] = sets.map(({ field, path }) => markers.offer(field, path, place));
	if (!offers.length) return;
	const wrong = await negotiate(check, {
		name: 'tasks.update',
		kind,
		id,
		// A word that is refused stays in the request, so that the refusal is the last answer.
		offers: [],
		write: () => ({ body: JSON.stringify(writeOffers(check, kind, offers, id)) }),
		most: 2,
	});
	for (const { field, path } of sets) {
		const shown = leaves.find(([one]) => one === path)?.[1];
		learnWords(check, kind, field, shown, readChoices(wrong.seen, path));
	}
}

/** Learns the names of the audit log by the entries about what the check has made, and the words of their actions. */
export async function learnAuditLog(check: Check, made: Made): Promise<void> {
	const audit = await check.asker.ask('audit.list');
	const records = isGood(audit) ? locateList('auditEntry', audit.body).records : [];
	const kind = 'auditEntry' as const;
	const about = [
		[made.dossiers, 'dossier.created'],
		[made.documents.map(({ id }) => id), 'document.uploaded'],
		[made.tasks, 'task.created'],
	] as const;
	const words: Record<string, string> = {};
	for (const [ids, action] of about) {
		const isAbout = ([path, value]: Leaf) =>
			!ID_NAMES.test(path) && ids.includes(toText(value) ?? '');
		for (const entry of records) {
			const find = (isSame: (leaf: Leaf) => boolean) => entry.leaves.find(isSame);
			const target = find(isAbout);
			const word = find(([, value]) => typeof value === 'string' && spell(value) === spell(action));
			if (!target || !word) continue;
			const [kindName] = action.split('.');
			const paths = {
				'target.id': target[0],
				action: word[0],
				'target.type': find(([, value]) => value === kindName)?.[0],
				'actor.type': find(([, value]) => value === 'api_key')?.[0],
			};
			const proven = new Map(
				Object.entries(paths).flatMap(([field, path]) => (path ? [[field, path]] : [])),
			);
			learnRecord(check, kind, entry, proven);
			words[action] = String(word[1]);
		}
	}
	if (!check.proven.has(kind) && records[0]) learnRecord(check, kind, records[0]);
	const [seen] = Object.entries(words).filter(([action, word]) => action !== word);
	if (!seen) return;
	// What is not on the page is written like what is.
	const isAlike = [seen[0].toUpperCase(), capitalize(seen[0])].includes(seen[1]);
	learnWords(check, kind, 'action', seen[1], isAlike ? [] : Object.values(words));
}

/** Lists that may hold records of others, and whether addresses can be registered where it is assumed. */
export async function learnRest(check: Check, made: Made): Promise<void> {
	const { asker, notes } = check;
	const webhooks = await asker.ask('webhooks.list');
	const seen = `/v1/webhooks answers ${webhooks?.status}`;
	if (webhooks) notes.note('A-38', isGood(webhooks) ? undefined : false, seen);
	const lists = [
		['tasks.list', 'task'],
		['portal.users.list', 'portalUser'],
	] as const;
	for (const [name, kind] of lists.filter(([, one]) => one !== 'task' || !made.tasks.length)) {
		const seen = await asker.ask(name);
		const [first] = isGood(seen) ? locateList(kind, seen.body).records : [];
		if (first) learnRecord(check, kind, first);
	}
}

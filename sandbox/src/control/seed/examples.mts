import { createSystemContext } from '../../accounts/caller.mts';
import type { RequestContext } from '../../accounts/caller.mts';
import { day } from '../../platform/clock.mts';
import { readText } from '../../platform/json.mts';
import type { Service } from '../../service.mts';

const subjects = [
	'Lease of the Hafenstrasse office',
	'Annual accounts',
	'Purchase of a delivery van',
	'Application for a building permit',
	'Employment of Mara Lindt',
	'Insurance claim after a burst pipe',
];
const types = ['lease', 'accounting', 'purchase', 'permit', 'personnel', 'claim'];
const states = ['open', 'in_progress', 'pending', 'closed'];
const todos = ['Sign the contract', 'Ask for the missing invoice', 'Check the certificate'];
const priorities = ['normal', 'high', 'low'];
const names = ['Jana Vogt', 'Tom Lindt', 'Mara Weiss'];
const exampleCategories = ['contract', 'invoice', 'correspondence', 'certificate', 'other'];

/** How many dossiers are created in one transaction, before the service answers other requests again. */
const batchSize = 100;

interface ExampleCounts {
	dossiers: number;
	/** In each dossier. */
	documents: number;
	tasks: number;
	portal_users: number;
}

/** A dataset of an organization, as `organizations.dataset` gives it. */
interface ExampleTarget {
	n: number;
	userId: string;
}

/** Fills a dataset with example records, in the name of its own user. Tasks and portal users belong to the new dossiers. */
export async function addExamples(
	service: Service,
	target: ExampleTarget,
	counts: ExampleCounts,
): Promise<void> {
	const ids: string[] = [];
	for (let first = 0; first < counts.dossiers; first += batchSize) {
		const end = Math.min(first + batchSize, counts.dossiers);
		service.batch(() => {
			for (let at = first; at < end; at++) ids.push(createDossier(service, target, at));
		});
		for (const id of counts.documents > 0 ? ids.slice(first) : []) {
			for (let n = 0; n < counts.documents; n++) {
				await addExampleDocument(service, createSystemContext(service.clock, target), id, n);
			}
		}
		await new Promise((resolve) => setImmediate(resolve));
	}
	const people: string[] = [];
	for (let at = 0; at < counts.portal_users; at++) {
		people.push(invite(service, target, choose(ids, at), at));
	}
	for (let at = 0; at < counts.tasks; at++) {
		// The first one is overdue.
		const days = at === 0 ? -1 : at + 2;
		service.tasks.create(createSystemContext(service.clock, target), {
			title: choose(todos, at),
			dossier_id: choose(ids, at),
			priority: choose(priorities, at),
			assignee_id: choose(people, at) || null,
			due_at: new Date(service.clock.now() + days * day).toISOString(),
		});
	}
}

/** Invites a portal user by mail, and gives the ID. The number in the address keeps it apart from those of earlier examples. */
function invite(service: Service, target: ExampleTarget, dossier: string, at: number): string {
	const { total } = service.listing.page({
		table: 'portal_users',
		conditions: [{ sql: 'dataset = ?', value: target.n }],
		sort: 'invited_at',
		order: 'desc',
		skip: 0,
		perPage: 1,
	});
	const [first_name = '', last_name = ''] = choose(names, at).split(' ');
	const email = `${first_name}.${last_name}.${total + 1}@customer.example`.toLowerCase();
	const context = createSystemContext(service.clock, target);
	const { portal_user_id } = service.invitations.inviteByMail(context, {
		email,
		first_name,
		last_name,
		dossier_ids: [dossier],
	});
	return readText(portal_user_id) ?? '';
}

function createDossier(service: Service, target: ExampleTarget, at: number): string {
	const { id } = service.dossiers.create(createSystemContext(service.clock, target), {
		title: `${choose(subjects, at)} ${at + 1}`,
		type: choose(types, at),
		status: choose(states, at),
		tags: [choose(types, at)],
	});
	return readText(id) ?? '';
}

async function addExampleDocument(
	service: Service,
	context: RequestContext,
	dossier: string,
	n: number,
): Promise<void> {
	const category = choose(exampleCategories, n);
	const file = await service.files.receive();
	try {
		await file.write(Buffer.from(`Example ${category} ${n + 1} of ${dossier}.\n`));
		const content = await file.finish();
		const fields = { file_name: `${category} ${n + 1}.txt`, mime_type: 'text/plain', category };
		service.documents.add(context, dossier, { fields, file, content });
	} finally {
		await file.discard();
	}
}

function choose(choices: string[], n: number): string {
	return choices[n % choices.length] ?? '';
}

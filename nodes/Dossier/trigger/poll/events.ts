import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/values';
import { isObject } from '../../dialect/paths';

/** An event in the envelope of the webhooks, with an id. */
export interface PolledEvent {
	/** The id of the audit entry, or of the task and its due date. */
	id: string;
	event: string;
	/** ISO 8601 in UTC; null if the service does not show it. */
	created_at: string | null;
	data: IDataObject;
}

/** The value of a field after a change, which an entry gives as `{from, to}` or as the value alone. */
function changedTo({ changes }: IDataObject, field: string): unknown {
	const change = isObject(changes) ? changes[field] : undefined;
	return isObject(change) && 'to' in change ? change.to : (change ?? undefined);
}

function changedFrom({ changes }: IDataObject, field: string): unknown {
	const change = isObject(changes) ? changes[field] : undefined;
	return isObject(change) && 'from' in change ? change.from : (change ?? undefined);
}

const actorId = ({ actor }: IDataObject) => (isObject(actor) ? (actor.id ?? null) : null);
const targetId = ({ target }: IDataObject) => (isObject(target) ? (target.id ?? null) : null);

interface Mapping {
	event: string;
	/** Matches the action: the thing, any separator, then the verb. */
	action: RegExp;
	data: (entry: IDataObject) => IDataObject;
}

/** Which actions of the audit log are events, and the payload of each, as far as an entry has it. */
const MAPPINGS: Mapping[] = [
	{
		event: 'document.uploaded',
		action: /^document\W*(upload|add|creat)/,
		data: (entry) => ({
			document_id: targetId(entry),
			dossier_id: changedTo(entry, 'dossier_id') ?? null,
			uploaded_by: actorId(entry),
			category: changedTo(entry, 'category') ?? null,
		}),
	},
	{
		event: 'document.deleted',
		action: /^document\W*(delet|remov)/,
		data: (entry) => ({
			document_id: targetId(entry),
			dossier_id: changedFrom(entry, 'dossier_id') ?? null,
			deleted_by: actorId(entry),
			category: changedFrom(entry, 'category') ?? null,
		}),
	},
	{
		event: 'dossier.created',
		action: /^dossier\W*(creat|open|add)/,
		data: (entry) => ({
			dossier_id: targetId(entry),
			title: changedTo(entry, 'title') ?? (isObject(entry.target) ? entry.target.label : null),
			status: changedTo(entry, 'status') ?? null,
			created_by: actorId(entry),
		}),
	},
	{
		event: 'portal.user_invited',
		action: /^(portal\W*)?(user\W*)?invit/,
		data: (entry) => ({
			portal_user_id: changedTo(entry, 'portal_user_id') ?? targetId(entry),
			dossier_ids: changedTo(entry, 'dossier_ids') ?? [],
			invited_by: actorId(entry),
		}),
	},
	{
		event: 'portal.user_accessed',
		action: /^(portal\W*)?user\W*(sign|log|access)/,
		data: (entry) => ({
			portal_user_id: targetId(entry) ?? actorId(entry),
			method: changedTo(entry, 'method') ?? null,
		}),
	},
];

/** The name of an action in lower case, with one dot between its words. */
const normalize = (action: string) =>
	action
		.replace(/([a-z])([A-Z])/g, '$1.$2')
		.toLowerCase()
		.replace(/[^a-z]+/g, '.');

/** Actions of the audit log that are not events. */
const NO_EVENT =
	/^(dossier\.(updated|deleted)|document\.downloaded|task\.|webhook\.|audit\.log\.|feature\.flag\.|portal\.user\.removed)/;

/** Maps an audit entry to its event, if its action is one. `problem` is a sentence for the log about an unknown action. */
export function mapEntry(
	entry: IDataObject,
	id: string,
	reportedTime: string,
): { event?: PolledEvent; problem?: string } {
	const given = toText(entry.action) ?? '';
	const action = normalize(given);
	if (!action) return { problem: 'found an entry of the audit log without an action' };
	const mapping = MAPPINGS.find((one) => one.action.test(action));
	if (mapping) {
		return {
			event: {
				id,
				event: mapping.event,
				created_at: reportedTime || null,
				data: mapping.data(entry),
			},
		};
	}
	if (NO_EVENT.test(action)) return {};
	return { problem: `found "${given}" in the audit log, an action that it does not know` };
}

/** Why the service refuses an invitation: the person was invited before, or a dossier is not there. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import { findNamed } from '../../execution/lookups';
import type { ItemRun } from '../../execution/operation';
import { asIds } from '../../execution/parameters';
import { isSameWord } from '../../execution/words';
import { GONE, hasStatus, Problem, readRefusal } from '../../problems/problem';
import { readNames } from '../deletion';

/** How services say that somebody was invited before, in the code or the message of a refusal. */
const INVITED = /already|invited|exists?\b|duplicate|taken/i;

/** How a person knows a dossier, with its ID. */
async function nameDossier({ api }: ItemRun, id: string): Promise<string> {
	const { reference, title } = await readNames(api, 'dossiers.get', id, ['reference', 'title']);
	const name = toText(reference) ?? toText(title);
	return name ? `${name} (${id})` : id;
}

/**
 * The portal user who was invited before, and whom all dossiers of a refused invitation are shown to.
 *
 * @returns `undefined` if that was not the reason, or is not certain
 * @throws Problem that names the dossiers that they do not see
 */
export async function findInvited(
	run: ItemRun,
	error: unknown,
	{ email, dossier_ids: asked }: IDataObject,
): Promise<IDataObject | undefined> {
	const refusal = readRefusal(error);
	if (!refusal) return;
	const { status, code = '', message = '' } = refusal;
	const address = toText(email);
	const isInvited = [409, 422].includes(status) && INVITED.test(`${code} ${message}`);
	if (address === undefined || !isInvited) return;
	const found = await findNamed(run.api, 'email', address, 'email').catch(() => undefined);
	if (!found || isSameWord(found.status, 'revoked')) return;
	const shown = asIds(found.dossier_ids ?? [], 'dossierIds');
	const missing = asIds(asked, 'dossierIds').filter((id) => !shown.includes(id));
	if (!missing.length) return found;
	if (!found.dossier_ids) return;
	const naming = missing.map(async (id) => await nameDossier(run, id));
	throw new Problem('INVITED_ELSEWHERE', { refusal, missing: await Promise.all(naming) });
}

/** Throws Problem that names a dossier that is not there, if the service refuses an invitation because of its dossiers. */
export async function refuseUnknown(
	{ api }: ItemRun,
	error: unknown,
	body: IDataObject,
): Promise<void> {
	const refusal = readRefusal(error);
	if (!refusal || !hasStatus(error, 400, 404, 422)) return;
	const { code = '', message = '', details } = refusal;
	if (!/dossier/i.test([code, message, ...details.map(({ field }) => field)].join(' '))) return;
	for (const id of asIds(body.dossier_ids, 'dossierIds')) {
		const reason = await api.call('dossiers.get', { id }).then(
			() => undefined,
			(one: unknown) => readRefusal(one),
		);
		const isMissing = reason && GONE.includes(reason.status) && reason.stranger === undefined;
		if (isMissing && reason.code !== 'ROUTE_NOT_FOUND')
			throw new Problem('UNKNOWN_DOSSIER', { refusal, id });
	}
}

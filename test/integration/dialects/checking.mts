/** Runs Service → Check Contract, and reads its report. */
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { toText } from '../../../nodes/Dossier/api/json';
import { runDossier } from '../n8n.mts';
import { speaking } from '../requests.mts';

export const CHECK = { resource: 'service', operation: 'checkContract', tryWriting: true };

/** The plain service takes no forms. */
export const JSON_ONLY = { upload: { format: 'json' } };

/** Runs the check, and expects it not to fail and to stay within 40 requests. Gives the parts of its report. */
export async function check(
	credential: ICredentialDataDecryptedObject,
	dialect: object = JSON_ONLY,
	parameters: INodeParameters = {},
) {
	const { items, error } = await runDossier({
		parameters: { ...CHECK, ...parameters },
		credential: { ...credential, ...speaking(dialect) },
	});
	expect(error).toBeUndefined();
	const outputs = items.map(({ json }) => json);
	const summary = outputs.at(-1) ?? {};
	expect(Number(summary.requests)).toBeLessThanOrEqual(40);
	const parts = summary.dialect as Array<{ part: string; verdict: string }>;
	return {
		outputs,
		page: toText(summary.page) ?? '',
		left: summary.left as string[],
		verdicts: Object.fromEntries(parts.map(({ part, verdict }) => [part, verdict])),
		find: (what: string) => outputs.find((one) => one.what === what) ?? {},
		results: Object.fromEntries(outputs.slice(0, -1).map(({ what, result }) => [what, result])),
		whole: JSON.stringify(outputs),
	};
}

import type { INodeProperties } from 'n8n-workflow';
import type { Forms, Labels } from '../problems/definition';
import { DossierApi } from '../../../credentials/DossierApi.credentials';
import { DossierWorkspaceApi } from '../../../credentials/DossierWorkspaceApi.credentials';
import { listChoices, listInnerFields } from './fields';

function* walkFields(fields: INodeProperties[]): Generator<INodeProperties> {
	for (const field of fields) {
		yield field;
		yield* walkFields(listInnerFields(field));
		yield* (field.options ?? []).flatMap((one) => ('values' in one ? one.values : []));
	}
}

/** Reads the labels of a form; fields inside collections are found by their own name. */
function readLabels(fields: INodeProperties[]): Labels {
	const find = (name: string) => [...walkFields(fields)].find((field) => field.name === name);
	return {
		has: (name) => find(name) !== undefined,
		field: (name) => `'${find(name)?.displayName ?? name}'`,
		choice: (name, value) => {
			const field = find(name);
			const chosen = listChoices(field ?? {}).find((one) => one.value === value)?.name;
			const mode = field?.modes?.find((one) => one.name === value)?.displayName;
			return `'${chosen ?? mode ?? value}'`;
		},
	};
}

/** The labels for sentences, and whether a model reads them, which sees no form. */
export interface ShownForms extends Forms {
	isForModel?: boolean;
}

/** Collects the labels for a node with these fields; with none for code without a node, such as a credential test. */
export const collectForms = (fields: INodeProperties[]): ShownForms => ({
	node: readLabels(fields),
	dossierApi: readLabels(new DossierApi().properties),
	dossierWorkspaceApi: readLabels(new DossierWorkspaceApi().properties),
});

import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import type { ProblemCode, ProblemFacts } from '../../api/problem';
import { DossierApi } from '../../../../credentials/DossierApi.credentials';
import { DossierWorkspaceApi } from '../../../../credentials/DossierWorkspaceApi.credentials';

/** The labels of a form, for sentences about its fields. */
export interface Labels {
	has(field: string): boolean;
	/** The label of a field, in single quotes; its name if the form does not have the field. */
	field(field: string): string;
	/** The label of one choice of a field, in single quotes. */
	choice(field: string, value: string): string;
}

type Option = NonNullable<INodeProperties['options']>[number];

const isField = (option: Option): option is INodeProperties => 'type' in option;

const isRows = (option: Option): option is INodePropertyCollection => 'values' in option;

const isChoice = (option: Option, value: string) => 'value' in option && option.value === value;

function* walkFields(fields: INodeProperties[]): Generator<INodeProperties> {
	for (const field of fields) {
		yield field;
		yield* walkFields((field.options ?? []).filter(isField));
		yield* (field.options ?? []).filter(isRows).flatMap(({ values }) => values);
	}
}

/** Reads the labels of a form; fields inside collections are found by their own name. */
export function readLabels(fields: INodeProperties[]): Labels {
	const find = (name: string) => [...walkFields(fields)].find((field) => field.name === name);
	return {
		has: (name) => find(name) !== undefined,
		field: (name) => `'${find(name)?.displayName ?? name}'`,
		choice: (name, value) => {
			const { options = [], modes = [] } = find(name) ?? {};
			const chosen = options.find((option) => isChoice(option, value))?.name;
			const mode = modes.find((one) => one.name === value)?.displayName;
			return `'${chosen ?? mode ?? value}'`;
		},
	};
}

/** The forms that a sentence may name: that of the node, and those of both credentials. */
export interface Forms {
	node: Labels;
	dossierApi: Labels;
	dossierWorkspaceApi: Labels;
	/** Whether a model reads the sentence, which sees no form. */
	isForModel?: boolean;
}

/** Collects the labels for a node with these fields; with none for code without a node, such as a credential test. */
export const collectForms = (fields: INodeProperties[]): Forms => ({
	node: readLabels(fields),
	dossierApi: readLabels(new DossierApi().properties),
	dossierWorkspaceApi: readLabels(new DossierWorkspaceApi().properties),
});

/**
 * For each code what happened, one sentence without a full stop, and what to do; `null` if there is no advice.
 */
export type Sentences = {
	[Code in ProblemCode]: {
		message: (facts: ProblemFacts[Code], forms: Forms) => string;
		hint: (facts: ProblemFacts[Code], forms: Forms) => string | null;
	};
};

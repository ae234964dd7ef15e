import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import type { ProblemCode, ProblemFacts } from '../../api/problem';
import { DossierApi } from '../../../../credentials/DossierApi.credentials';
import { DossierWorkspaceApi } from '../../../../credentials/DossierWorkspaceApi.credentials';

/** The words of a form, for sentences about its fields. */
export interface Labels {
	has(field: string): boolean;
	/** What the form shows for a field, in single quotes; the field's name if the form does not have it. */
	field(field: string): string;
	/** What the form shows for one choice of a field, in single quotes. */
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

/** The forms that a sentence may name: the one that is open, and those of both credentials. */
export interface Forms {
	node: Labels;
	dossierApi: Labels;
	dossierWorkspaceApi: Labels;
	/** A model reads the sentence: it sees no form. */
	isForModel?: boolean;
}

/** The forms around a node with these fields; none for what runs without one, such as the test of a credential. */
export const collectForms = (fields: INodeProperties[]): Forms => ({
	node: readLabels(fields),
	dossierApi: readLabels(new DossierApi().properties),
	dossierWorkspaceApi: readLabels(new DossierWorkspaceApi().properties),
});

/**
 * For each code what happened, one sentence without a full stop, and what to do about it; `null` if nothing is known.
 */
export type Sentences = {
	[Code in ProblemCode]: {
		message: (facts: ProblemFacts[Code], forms: Forms) => string;
		hint: (facts: ProblemFacts[Code], forms: Forms) => string | null;
	};
};

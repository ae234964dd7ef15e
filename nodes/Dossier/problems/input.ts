/** Input that cannot be used. Nothing was changed at the service. */
import { defineProblem } from './definition';
import type { FormField, Forms, NoFacts } from './definition';
import { fieldProblems } from './fields';

/** One thing that is wrong with a dialect. */
export interface DialectProblem {
	/** Line of the text, counted from 1. */
	line: number;
	/** A clause such as "`dossier.fields.title` must be a text". */
	message: string;
}

/** A locator that names a record by a reference or an email address: `mode` says which of them `value` is. */
export interface NamedRecord {
	field: string;
	mode: string;
	value: string;
}

export const NAMED_SAMPLE = { field: 'dossierId', mode: 'reference', value: '2026-0042' };

const askToSetUp = ({ node }: Forms, field: string, how: string) =>
	`You cannot mend this. Tell the user to set ${node.field(field)} of this tool to ${how}.`;

export const inputProblems = {
	...fieldProblems,
	/** More than one record has the reference or the address that a locator holds. */
	SEVERAL_NAMED_SO: defineProblem<NamedRecord & { ids: string[] }>({
		message: ({ field, mode, value }, { node }) =>
			`${node.field(field)}: more than one record with the ${mode} "${value}"`,
		hint: ({ mode, ids }) =>
			`Nothing was changed. ${ids.join(' and ')} have it: name the one that is meant by its ID, or give the other another ${mode} in the service.`,
		modelHint: ({ ids }) =>
			`Nothing was changed. Give the ID of the one that is meant: ${ids.join(' or ')}.`,
		samples: [{ ...NAMED_SAMPLE, ids: ['dos_8f3k2m1q', 'dos_2c5v8b1n'] }],
	}),
	/** `dropped` names the step that had files (`from`), and the next one, which did not hand them on (`by`). */
	BINARY_FIELD_MISSING: defineProblem<{
		name: string;
		available: string[];
		dropped?: { by: string; from: string };
	}>({
		message: ({ name }) => `The item has no binary field "${name}"`,
		hint: ({ available, dropped }, { node }) => {
			if (available.length) {
				const names = available.map((one) => `"${one}"`).join(', ');
				return `Available: ${names}. Enter one of them, or set ${node.field('filesFrom')} to ${node.choice('filesFrom', 'all')}.`;
			}
			if (!dropped) {
				return 'It has no file at all: check that the previous step returns files, e.g. Read Files from Disk.';
			}
			return `The step "${dropped.from}" gave it one, but "${dropped.by}" did not hand it on. Join the items of both with a Merge node (Combine by Position), or upload before "${dropped.by}".`;
		},
		modelHint: (_, forms) => askToSetUp(forms, 'filesFrom', 'text or to a web address'),
		samples: [
			{ name: 'attachment', available: ['data'] },
			{ name: 'attachment', available: [] },
			{ name: 'data', available: [], dropped: { by: 'Edit Fields', from: 'Read Files' } },
		],
	}),
	/** A step made a binary field in a form that n8n cannot read. `name` is that of the field or of the file. */
	BINARY_UNREADABLE: defineProblem<{ name: string }>({
		message: ({ name }) => `The content of "${name}" cannot be read: it is not base64`,
		hint: () =>
			'In the step that made it, e.g. a Code node, give the field a data with the content as base64, e.g. Buffer.from(text).toString("base64"), and a mimeType and a fileName.',
		modelHint: (_, forms) => askToSetUp(forms, 'filesFrom', 'text or to a web address'),
		samples: [{ name: 'note.txt' }],
	}),
	ITEM_WITHOUT_FILE: defineProblem<NoFacts>({
		message: () => 'The item has no file to upload',
		hint: () =>
			'Check that the previous step returns files, e.g. Read Files from Disk or an email with attachments.',
		modelHint: () =>
			'You cannot mend this: a tool gets no files. Tell the user to set up a tool for Upload, with a text or a web address.',
		samples: [{}],
	}),
	DOCUMENT_EXISTS: defineProblem<{ fileName: string }>({
		message: ({ fileName }) => `${fileName} is already in the dossier, with the same content`,
		hint: (_, { node }) =>
			`Set ${node.field('ifExists')} to ${node.choice('ifExists', 'skip')} to go on without it, or to ${node.choice('ifExists', 'upload')} to add it once more.`,
		modelHint: () => 'The dossier has this file already, so there is nothing to do.',
		samples: [{ fileName: 'invoice.pdf' }],
	}),
	/** Several documents have the name of the file, so it is unclear which one to replace. */
	SEVERAL_TO_REPLACE: defineProblem<{ fileName: string; count: number }>({
		message: ({ fileName, count }) => `The dossier has ${count} documents named ${fileName}`,
		hint: (_, { node }) =>
			`Nothing was uploaded or deleted. Delete those that are no longer needed${
				node.has('ifExists')
					? `, or set ${node.field('ifExists')} to ${node.choice('ifExists', 'upload')}`
					: ''
			}.`,
		modelHint: () => 'Nothing was changed. Ask the user which of them to keep.',
		samples: [{ fileName: 'invoice.pdf', count: 3 }],
	}),
	/** Two files for one dossier have the same name; `items` are the indexes of their items. Without them, the other one was uploaded. */
	SAME_FILE_NAME: defineProblem<{ fileName: string; items?: [number, number] }>({
		message: ({ fileName, items }) =>
			`Two files named ${fileName} are for the same dossier${items ? `, in item ${[...new Set(items)].join(' and item ')} (n8n counts from 0)` : ''}`,
		hint: ({ items }) =>
			`${items ? 'Nothing was uploaded or deleted' : 'The dossier has the other one'}. Leave one of them out, or rename it.`,
		samples: [{ fileName: 'invoice.pdf', items: [0, 3] }, { fileName: 'invoice.pdf' }],
	}),
	/** The form moves or copies a document into the dossier that it is in already. */
	SAME_DOSSIER: defineProblem<FormField>({
		message: () => 'The document is in this dossier already',
		hint: ({ field }, { node }) =>
			`Nothing was copied. Choose another dossier in ${node.field(field)}.`,
		modelHint: () => 'Nothing was copied, because nothing needs to be. Tell the user.',
		samples: [{ field: 'dossierId' }],
	}),
	/** Records of a list lack the field that a filter compares, or its time cannot be read, and the service does not apply the filter itself. */
	FILTER_IGNORED: defineProblem<{ field: string; lacks: string; gap: 'field' | 'value' }>({
		message: ({ field, lacks, gap }, { node }) =>
			`The filter ${node.field(field)} needs the field ${lacks}, which the list of the service does not show${gap === 'value' ? ' as a date of ISO 8601' : ''}`,
		hint: () =>
			'The service does not apply this filter itself, so no record was returned: records that do not match would be among them. Remove the filter and compare in a later step.',
		modelHint: () => 'Leave this filter out, and compare the records yourself.',
		samples: [
			{ field: 'status', lacks: 'status', gap: 'field' },
			{ field: 'createdAfter', lacks: 'created_at', gap: 'value' },
		],
	}),
	/** The operation of a tool, or a choice that deletes something, is left to the model. */
	DELETION_LEFT_OPEN: defineProblem<{ field: string }>({
		message: ({ field }, { node }) =>
			`This tool leaves ${node.field(field)} to the model, which may not choose to delete something`,
		hint: ({ field }, { node }) =>
			`Nothing was deleted. Set up a separate tool for this, and choose ${node.field(field)} from the list there.`,
		samples: [{ field: 'operation' }],
	}),
	UNKNOWN_OPERATION: defineProblem<{ resource: string; operation: string }>({
		message: ({ resource, operation }) =>
			`This version of the node has no operation "${operation}" of "${resource}"`,
		hint: () => 'Choose a resource and an operation from the lists.',
		modelHint: (_, forms) => askToSetUp(forms, 'operation', 'one of the list'),
		samples: [{ resource: 'document', operation: 'sign' }],
	}),
	/** The dialect of the credential cannot be used. */
	DIALECT_INVALID: defineProblem<{ problems: DialectProblem[] }>({
		message: ({ problems }) =>
			`The dialect in the credential cannot be used: ${problems
				.map(({ line, message }) => `line ${line}: ${message}`)
				.join('; ')}`,
		hint: (_, { dossierApi }) =>
			`Nothing was sent. Correct ${dossierApi.field('dialect')} in the credential.`,
		samples: [{ problems: [{ line: 3, message: '`dossier.fields.title` must be a text' }] }],
	}),
	LIVE_KEY_IN_SANDBOX: defineProblem<NoFacts>({
		message: () => 'A live key was about to be sent to the sandbox, so nothing was sent',
		hint: (_, { dossierApi }) =>
			`Live keys (sk_live_) belong to production. Enter a test key (sk_test_), or set ${dossierApi.field('environment')} to ${dossierApi.choice('environment', 'production')}.`,
		samples: [{}],
	}),
	/** An expression in the credential reads the item. */
	CREDENTIAL_VARIES: defineProblem<NoFacts>({
		message: () => 'The credential has other values for this item than for the first one',
		hint: () =>
			'Nothing was sent for this item, because all items of a run share one connection. Give the node one item at a time: put it into Loop Over Items, with a batch size of 1.',
		samples: [{}],
	}),
	/** The key is a live key, and the form does not allow writing with it. */
	LIVE_KEY_MAY_NOT_WRITE: defineProblem<NoFacts>({
		message: () => 'The key of the credential reaches production data, so the check may not write',
		hint: (_, { node }) =>
			`Choose a credential with a test key (sk_test_), or switch ${node.field('writeLive')} on.`,
		samples: [{}],
	}),
};

/**
 * Who may call an endpoint: `key` is the integration API with its bearer API key, `workspace` needs the token of a
 * customer or an operator, `public` nothing.
 */
export type Access = 'key' | 'workspace' | 'public';

/**
 * The host that gets a request, and where its address comes from: an endpoint with its kind of access, an address that the
 * service gave out for a file (`signed`), or an address in the form (`file`).
 */
export interface Recipient {
	/** Host name with its port. */
	host: string;
	access: Access | 'signed' | 'file';
}

/** A field of the node's form, or of a credential, by its name. */
export interface FormField {
	field: string;
	credential?: 'dossierApi' | 'dossierWorkspaceApi';
}

/** The labels of a form, which the edge fills in. */
export interface Labels {
	has(field: string): boolean;
	/** The label of a field, in single quotes; its name if the form does not have the field. */
	field(field: string): string;
	/** The label of one choice of a field, in single quotes. */
	choice(field: string, value: string): string;
}

/** The labels that a sentence may name: those of the node, and those of both credentials. */
export interface Forms {
	node: Labels;
	dossierApi: Labels;
	dossierWorkspaceApi: Labels;
}

/** Everything about one problem. Its facts are what the code that throws it knows. */
export interface Definition<Facts> {
	/** What happened: one sentence without a full stop. */
	message: (facts: Facts, forms: Forms) => string;
	/** What to do; `null` if there is no advice. */
	hint: (facts: Facts, forms: Forms) => string | null;
	/** What to do for a model, which sees no form and cannot set up its tool. Without it, the model gets `hint`. */
	modelHint?: (facts: Facts, forms: Forms) => string;
	/** Facts for each sentence that the problem can have, for docs/errors.md. */
	samples: Facts[];
}

/** Declares a problem, with the type of its facts. */
export const defineProblem = <Facts extends object>(definition: Definition<Facts>) => definition;

/** The facts of a problem that needs none. */
export type NoFacts = Record<string, never>;

/** What to do if the service may have done what it was asked to although the call failed. */
export function explainDoubt({ node }: Forms): string {
	const doubt =
		'The service may have succeeded nevertheless. Check whether it is there before you repeat it';
	if (!node.has('ifExists')) return `${doubt}.`;
	return `${doubt}; an upload can be repeated with ${node.field('ifExists')} set to ${node.choice('ifExists', 'skip')}.`;
}

/** What `explainDoubt` says, for a model. */
export const DOUBT_FOR_MODEL =
	'It may have been done nevertheless. Look whether it is there before you call the tool again.';

/** What a model can do about a connection, a credential or an address. */
export const CANNOT_MEND = 'You cannot mend this. Tell the user.';

/** What a model can do about a record that does not exist. */
export const LOOK_UP =
	'Look the record up with a tool that lists or searches, and use the ID from its result. Do not guess IDs.';

/** What a model can do about a value. */
export const askModelFor = (what: string) => `Give ${what} and call the tool again.`;

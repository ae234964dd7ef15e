/** The pages in docs/operations, made from what the nodes show. */
import type { ICredentialType, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { formAsMarkdown, formatTable, toMarkdown, toSentence } from './fields.mts';

/** An output preview, in the small dialect that n8n knows. */
export interface Preview {
	type?: string;
	properties?: Record<string, Preview>;
	items?: Preview;
}

/** The sources of the pages. */
interface Described {
	action: INodeTypeDescription;
	trigger: INodeTypeDescription;
	pollTrigger: INodeTypeDescription;
	credentials: ICredentialType[];
	/** The output preview `<resource>/<operation>`, or of the triggers if no name is given. */
	preview(name?: string): Preview;
}

const MARK =
	'<!-- Made by "npm run docs" from the description of the node: change that, not this page. -->';

const TYPES: Record<string, string> = { number: 'a number', boolean: 'true or false' };

/** The fields of a preview in one line; fields without a type in brackets are text. */
function listFields({ properties = {} }: Preview): string {
	const words = Object.entries(properties).map(([name, field]) => {
		const list = field.type === 'array';
		const inner = listFields((list ? field.items : field) ?? {});
		const type = list
			? 'a list'
			: field.type === 'object' && !inner
				? 'an object'
				: TYPES[field.type ?? ''];
		const marks = [type, inner].filter(Boolean).join(' of ');
		return `\`${name}\`${marks ? ` (${marks})` : ''}`;
	});
	return words.join(', ');
}

const isShownFor = (name: string, value: string) => (field: INodeProperties) =>
	field.displayOptions?.show?.[name]?.includes(value) === true;

/** Whether a field is the variant that the node shows as a tool. */
const isForTools = ({ displayOptions }: INodeProperties) =>
	displayOptions?.show?.['@tool'] !== undefined;

interface Named {
	name: string;
	value: string;
	description: string;
	action: string;
}

function listChoices(field: INodeProperties | undefined): Named[] {
	return (field?.options ?? []).flatMap((option) => {
		if (!('value' in option) || typeof option.value !== 'string') return [];
		const { name, value, description = '', action = '' } = option;
		return [{ name, value, description, action }];
	});
}

const listResources = ({ properties }: INodeTypeDescription) =>
	listChoices(properties.find(({ name }) => name === 'resource'));

const listOperations = ({ properties }: INodeTypeDescription, resource: string) =>
	listChoices(
		properties.find(
			(field) => field.name === 'operation' && isShownFor('resource', resource)(field),
		),
	);

function linkCredential({ action, credentials }: Described, resource: string): string {
	const needed = action.credentials?.find(({ displayOptions }) =>
		displayOptions?.show?.resource?.includes(resource),
	);
	if (!needed) return 'none';
	const { displayName } = credentials.find(({ name }) => name === needed.name) ?? needed;
	const link = `[${displayName ?? needed.name}](../credentials.md)`;
	const operations = listOperations(action, resource);
	const free = operations.filter(({ value }) =>
		action.properties.some(
			(field) =>
				field.name === 'baseUrlFrom' &&
				isShownFor('resource', resource)(field) &&
				isShownFor('operation', value)(field),
		),
	);
	if (free.length === operations.length) return `none, or ${link} for its address`;
	return [link, ...free.map(({ name }) => `none for ${name}`)].join('; ');
}

const toAnchor = (name: string) => name.toLowerCase().replaceAll(' ', '-');

function describeOutput(preview: Preview, fields: INodeProperties[]): string {
	const has = (name: string) => fields.some((field) => field.name === name);
	const sentences = [`Each output item has ${listFields(preview)}.`];
	if (has('output')) sentences.push('*Output* chooses how much of a record each of them has.');
	const file = fields.find(
		({ name, displayName }) => name === 'binaryPropertyName' && displayName.includes('Output'),
	);
	if (file) sentences.push(`The file is in the binary field named under *${file.displayName}*.`);
	return sentences.join(' ');
}

/** The options that every operation has. Check Health has no others. */
const findSharedOptions = ({ properties }: INodeTypeDescription) =>
	properties.filter(
		(field) => field.name === 'options' && isShownFor('operation', 'checkHealth')(field),
	);

/** The collection without the options that every operation has; nothing if no other option is left. */
function withoutShared(field: INodeProperties, shared: INodeProperties[]): INodeProperties[] {
	if (field.name !== 'options') return [field];
	const names = shared.flatMap(({ options = [] }) => options.map(({ name }) => name));
	const own = (field.options ?? []).filter(({ name }) => !names.includes(name));
	return own.length ? [{ ...field, options: own }] : [];
}

function operationSection(described: Described, resource: Named, operation: Named): string {
	const shared = findSharedOptions(described.action);
	const fields = described.action.properties
		.filter(
			(field) =>
				isShownFor('resource', resource.value)(field) &&
				isShownFor('operation', operation.value)(field) &&
				!isForTools(field),
		)
		.flatMap((field) => withoutShared(field, shared));
	return [
		`## ${operation.name}`,
		`${toSentence(toMarkdown(operation.description))} In n8n's list of actions: *${operation.action}*.`,
		formAsMarkdown(fields) || 'It has no fields of its own.',
		describeOutput(described.preview(`${resource.value}/${operation.value}`), fields),
	].join('\n\n');
}

function resourcePage(described: Described, resource: Named): string {
	const operations = listOperations(described.action, resource.value);
	const links = operations.map(({ name }) => `[${name}](#${toAnchor(name)})`);
	return [
		`# ${resource.name}`,
		MARK,
		`${toSentence(resource.description)} Credential: ${linkCredential(described, resource.value)}.`,
		`${links.join(' · ')} · [Options of every operation](README.md#options) · [All resources](README.md)`,
		...operations.map((operation) => operationSection(described, resource, operation)),
	].join('\n\n');
}

function indexPage(described: Described): string {
	const { action, trigger, pollTrigger } = described;
	const rows = listResources(action).map((resource) => {
		const operations = listOperations(action, resource.value).map(
			({ name }) => `[${name}](${resource.value}.md#${toAnchor(name)})`,
		);
		return [
			`[**${resource.name}**](${resource.value}.md)`,
			toSentence(resource.description),
			operations.join(' · '),
			linkCredential(described, resource.value),
		];
	});
	return [
		'# Operations',
		MARK,
		`Everything that the node **${action.displayName}** does. The nodes **[${trigger.displayName}](trigger.md)** and **[${pollTrigger.displayName}](pollTrigger.md)** have separate pages.`,
		formatTable(['Resource', 'What it is', 'Operations', 'Credential'], rows),
		'In the tables of the pages, *Default* is the value of a field until you change it. In the output, fields without a type are text. Each may be missing or null if the service does not know it. Fields that this package does not know are returned too.',
		'## Options',
		'Every operation has these options, which say how to call the service; some have more. [Rate limits](../rate-limits.md) and [errors](../errors.md) have separate pages.',
		formAsMarkdown(findSharedOptions(action)),
	].join('\n\n');
}

function triggerPage(
	described: Described,
	node: INodeTypeDescription,
	about: string,
	more = '',
): string {
	return [
		`# ${node.displayName}`,
		MARK,
		`${about} Credential: [Dossier API](../credentials.md).`,
		'## Parameters',
		formAsMarkdown(node.properties),
		'## Output',
		`One item for each event: ${listFields(described.preview())}. The fields of \`data\` are those of \`document.uploaded\`; [other events have others](../contract.md#a-41-which-operation-causes-which-event).${more}`,
	].join('\n\n');
}

const ABOUT_TRIGGER =
	'Starts the workflow when the service sends an event. How registration, signatures and duplicates work, and what to do if nothing arrives: [the trigger](../trigger.md).';

const ABOUT_POLLING =
	'Starts a workflow when something happens or a record is new, by asking the service from time to time: for an n8n that the service cannot reach. n8n adds the field *Poll Times*: how often it asks. What it costs and promises: [if nobody can call your n8n](../trigger.md#if-nobody-can-call-your-n8n).';

const ABOUT_NEW_RECORDS =
	' With *Watch* set to *New Records*, one item for each new record, with all its fields.';

/** All pages by their file names. */
export function operationPages(described: Described): Map<string, string> {
	const pages = new Map([
		['README.md', indexPage(described)],
		['trigger.md', triggerPage(described, described.trigger, ABOUT_TRIGGER)],
		[
			'pollTrigger.md',
			triggerPage(described, described.pollTrigger, ABOUT_POLLING, ABOUT_NEW_RECORDS),
		],
	]);
	for (const resource of listResources(described.action)) {
		pages.set(`${resource.value}.md`, resourcePage(described, resource));
	}
	return new Map([...pages].map(([name, text]) => [name, `${text}\n`]));
}

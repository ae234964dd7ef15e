/** What an operation works with for each item: the service, the form, the files, and the parts of the item. */
import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { CallScope } from '../api/send/attempts';
import {
	BACKGROUND_POLICY,
	keyConnection,
	publicConnection,
	workspaceConnection,
} from '../api/connection';
import type { CallPolicy, Connection } from '../api/connection';
import { createApi } from '../api/client';
import type { Api } from '../api/client';
import { Problem } from '../problems/problem';
import type { Access } from '../problems/problem';
import { openItemFiles } from './binary';
import type { ItemFiles } from './binary';
import { namePart } from './explain';
import { baseUrlFrom } from './fields';
import { locateRecords } from './lookups';
import { listFields } from './nodeForm';
import type { ItemRun, OpenedPart, Operation, Output, Parts } from './operation';
import { asNumber, isEmpty, readParameters } from './parameters';
import type { Parameters } from './parameters';
import { computeForItem } from './unusable';
import { isLeftOpen, isTool } from './tool/caller';
import { blankFilters, readChoices } from './tool/choices';

/** The longest time of a timer in Node.js, in ms: 24.8 days. A longer one fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Reads the policy for requests from the options of the first item, with n8n's signal for a cancelled execution. */
function readPolicy(
	context: IExecuteFunctions,
	readOption: (name: string) => number | undefined,
): CallPolicy {
	const { concurrency, startConcurrency, longestWait, timeout } = BACKGROUND_POLICY;
	const chosen = readOption('concurrentRequests');
	const seconds = readOption('timeout') || timeout / 1000;
	return {
		concurrency: Math.max(1, Math.floor(chosen || concurrency)),
		startConcurrency: chosen === undefined ? startConcurrency : undefined,
		longestWait: Math.max(0, readOption('longestWait') ?? longestWait / 1000) * 1000,
		timeout: Math.min(Math.max(1, seconds) * 1000, LONGEST_TIMER),
		signal: context.getExecutionCancelSignal(),
	};
}

/**
 * Names a run of the node. A run that n8n repeats after a failure (Retry On Fail) has the same name. Each call of a tool
 * has a new one: a model may want the same thing twice, and n8n's MCP server calls tools outside of executions.
 */
function nameRun(context: IExecuteFunctions): string[] {
	if (isTool(context.getNode())) return [randomUUID()];
	const { $runIndex } = context.getWorkflowDataProxy(0);
	const { id: workflow = '' } = context.getWorkflow();
	const names = [context.getInstanceId(), workflow, context.getExecutionId(), context.getNode().id];
	return [...names, String($runIndex)];
}

/** What the items of a run share. */
function shareRun(
	context: IExecuteFunctions,
): Pick<ItemRun, 'once' | 'isTool' | 'isFirstOnly' | 'isRepeated'> {
	const made = new Map<string, unknown>();
	return {
		once: <T>(key: string, make: () => T): T => {
			if (!made.has(key)) made.set(key, make());
			return made.get(key) as T;
		},
		isTool: isTool(context.getNode()),
		isFirstOnly: context.getNode().executeOnce === true,
		isRepeated: (thing) => {
			const { $runIndex: round } = context.getWorkflowDataProxy(0);
			return (context.getContext('node')[thing] ??= round) !== round;
		},
	};
}

/** Refuses a deletion by a tool whose operation, or whose choice that deletes, is left to the model. */
function refuseOpenDeletion(context: IExecuteFunctions, operation: Operation, item: Parameters) {
	const { deletes, fields } = operation;
	const choice = fields.find(({ name }) => name === deletes?.field);
	const deciding = ['resource', 'operation', ...(choice ? [choice.name] : [])];
	const field = deciding.find((one) => isLeftOpen(context.getNode(), one));
	if (!field) return;
	// As the operation reads it, which takes a word in other spellings.
	const isChosen = choice !== undefined && item.choice(choice) === deletes?.value;
	if (isChosen || operation.output === 'Deleted')
		throw new Problem('DELETION_LEFT_OPEN', { field });
}

/** The parts of an item's run that the work on its parts needs. */
interface PartOwner {
	api: Api;
	files: ItemFiles;
	/** Whether the run has one item. */
	isAlone: boolean;
	/** Makes the output of a part that failed. */
	showError: (error: unknown) => Output;
	/** Whether a part that fails gives out an error, and the others are worked on. */
	continues: boolean;
}

/** Opens every part of an item, then does the work for each, as `ItemRun.each` says. */
async function workOnParts<Part>(
	{ api, files, isAlone, showError, continues }: PartOwner,
	parts: Parts<Part>,
	work: (part: Part, api: Api) => Promise<Output>,
	handsOnFiles = true,
): Promise<Output[]> {
	const fail = (name: string, error: unknown, part?: OpenedPart<Part>): Output => {
		// A person knows a file by its name, not by that of its binary field.
		const known = part?.fileName ?? (parts.size > 1 ? name : undefined);
		const isClear = known === undefined || (isAlone && parts.size === 1);
		const named = isClear ? error : namePart(error, known);
		if (!continues) throw named;
		return showError(named);
	};
	const opened = new Map<string, OpenedPart<Part>>();
	const outputs = new Map<string, Output>();
	try {
		for (const [name, open] of parts) {
			try {
				opened.set(name, await open());
			} catch (error) {
				outputs.set(name, fail(name, error));
			}
		}
		for (const [name, part] of opened) {
			const working = work(part, api.forWork(name));
			outputs.set(name, await working.catch((error: unknown) => fail(name, error, part)));
		}
	} finally {
		for (const one of opened.values()) one.close?.();
	}
	const names = [...parts.keys()];
	return names.flatMap((name) => {
		const output = outputs.get(name);
		if (!output) return [];
		const others = names.filter((one) => one !== name);
		return [handsOnFiles ? files.handOn(output, others) : output];
	});
}

/** The items of a run. */
interface ItemOpener {
	/** Opens an item. Throws Problem. */
	open(item: number): Promise<ItemRun>;
	/** How many items may be worked on at once. */
	concurrency: number;
	/** The scope that all calls of the run share. */
	scope: CallScope;
}

/**
 * Prepares the items of a run. It connects when the first item needs it: once for all items with a key or token; without
 * one, for each item, by its address.
 *
 * @param note notes a fact for the hints above the output
 * @param showError makes the output of a part that failed
 */
export function prepareItems(
	context: IExecuteFunctions,
	operation: Operation,
	access: Access,
	note: ItemRun['note'],
	showError: (error: unknown) => Output,
): ItemOpener {
	const shared = { ...shareRun(context), note };
	const runName = nameRun(context);
	// If an option cannot be read, it fails its item, and the others run as usual.
	let failed: { error: unknown } | undefined;
	const policy = readPolicy(context, (name) => {
		try {
			const given = computeForItem(context, `options.${name}`, 0, null);
			return isEmpty(given) ? undefined : asNumber(given, name);
		} catch (error) {
			failed = { error };
			return undefined;
		}
	});
	const scope = new CallScope(policy);
	let connection: Promise<Connection> | undefined;
	let readsItems: Promise<boolean> | undefined;

	/**
	 * Refuses an item for which the expressions of the credential give other values: all items share one connection. Past the
	 * last item, expressions that read items fail or give something else; without such, no other item is looked at.
	 */
	async function refuseOtherCredential(item: number): Promise<void> {
		if (item === 0 || access === 'public') return;
		const type = access === 'key' ? 'dossierApi' : 'dossierWorkspaceApi';
		const read = async (index: number) => JSON.stringify(await context.getCredentials(type, index));
		const pastLast = async () => await read(context.getInputData().length).catch(() => undefined);
		readsItems ??= read(0).then(async (first) => first !== (await pastLast()));
		if ((await readsItems) && (await read(item)) !== (await read(0)))
			throw new Problem('CREDENTIAL_VARIES', {});
	}

	async function connect(form: Parameters): Promise<Connection> {
		if (access === 'public') {
			const isOwn = form.choice(baseUrlFrom) === 'form';
			return await publicConnection(context, isOwn ? form.text('baseUrl') : undefined);
		}
		const connectAs = access === 'key' ? keyConnection : workspaceConnection;
		return await (connection ??= connectAs(context));
	}

	async function open(item: number): Promise<ItemRun> {
		if (item === 0 && failed) throw failed.error;
		await refuseOtherCredential(item);
		const form = readParameters(context, item);
		const api = createApi(await connect(form), policy, scope, [...runName, String(item)]);
		if (shared.isTool) refuseOpenDeletion(context, operation, form);
		const blank = shared.isTool ? blankFilters(form) : new Map<string, unknown>();
		const filled = form.replace(blank);
		const chosen = shared.isTool ? readChoices(listFields(operation), filled) : [];
		const isExpression = (field: string) => isLeftOpen(context.getNode(), field);
		const located = await locateRecords({ api, ...shared }, operation, filled, isExpression);
		const parameters = form.replace(new Map([...blank, ...located, ...chosen]));
		const isRaw = parameters.flag('options.rawRecords');
		const files = openItemFiles(context, item);
		const isAlone = context.getInputData().length === 1;
		const owner = { api, files, isAlone, showError, continues: context.continueOnFail() };
		const each: ItemRun['each'] = async (...work) => await workOnParts(owner, ...work);
		return { ...shared, parameters, api, files, each, isRaw };
	}

	return { open, concurrency: policy.concurrency, scope };
}

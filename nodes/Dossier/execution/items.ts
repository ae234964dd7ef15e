import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Problem } from '../problems/problem';
import { toPlain, toSent } from '../dialect/structure';
import { openItemFiles } from './binary';
import { describeRun } from './hints';
import { prepareItems } from './itemRun';
import { Progress } from './progress';
import type { ItemRun, Output, Resource, RunFact } from './operation';
import { listFields } from './nodeForm';
import { nameMissing } from './lookups';
import { toErrorOutput, toNodeError } from './explain';
import { collectForms } from './labels';
import { isTool } from './tool/caller';
import { listToolFields } from './tool/form';
import { fitForModel } from './tool/result';

function findOperation(context: IExecuteFunctions, resources: Resource[]) {
	const chosen = String(context.getNodeParameter('resource', 0));
	const wanted = String(context.getNodeParameter('operation', 0));
	const resource = resources.find(({ value }) => value === chosen);
	const operation = resource?.operations.find(({ value }) => value === wanted);
	if (resource && operation) return { operation, access: operation.access ?? resource.access };
	const problem = new Problem('UNKNOWN_OPERATION', { resource: chosen, operation: wanted });
	throw toNodeError(context.getNode(), problem, collectForms([]));
}

/** An output as n8n gets it: the record under canonical names or as the service sent it, and what the node adds. */
function toItem({ json, added = {}, ...files }: Output, isRaw: boolean): INodeExecutionData {
	// These fields come first in n8n's tables, because they say what was done. They override fields of the record.
	const own = toPlain(added);
	return { ...files, json: { ...own, ...(isRaw ? toSent(json) : toPlain(json)), ...own } };
}

/**
 * Runs the chosen operation for every item, several at a time. The outputs are in the order of the items, each paired with
 * its item. A failed item ends the run; if the node continues on errors, the item gives out `{error: {code, status,
 * message, hint, details, request_id}}` instead.
 *
 * @throws NodeApiError or NodeOperationError of the first item that failed
 */
export async function runItems(
	context: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[]> {
	const { operation, access } = findOperation(context, resources);
	const isForModel = isTool(context.getNode());
	// Only errors have to name the labels of the form.
	const readForms = () => {
		const fields = listFields(operation);
		return { ...collectForms(isForModel ? listToolFields(fields) : fields), isForModel };
	};
	const indexes = [...context.getInputData().keys()];
	const continues = context.continueOnFail();
	const facts = new Map<RunFact, number>();
	const note: ItemRun['note'] = (fact) => void facts.set(fact, (facts.get(fact) ?? 0) + 1);
	const showError = (error: unknown) => {
		note('failed');
		return toErrorOutput(error, readForms());
	};
	const items = prepareItems(context, operation, access, note, showError);
	const opened = new Map<number, ItemRun>();
	const findApi = () => [...opened.values()][0]?.api;
	const forecast = (requests: number) => findApi()?.forecast(requests) ?? 0;
	const names = [context.getWorkflow().name, context.getNode().name].filter(Boolean).join(', ');
	const say = (line: string) => context.logger.info(`${names}: ${line}`);
	const progress = new Progress(indexes.length, items.scope, facts, forecast, say);
	items.scope.onBeat = (...beat) => progress.beat(...beat);

	async function openItem(item: number): Promise<ItemRun> {
		const run = await items.open(item);
		opened.set(item, run);
		return run;
	}

	/** Opens all items, and gives the errors of those that must not run. */
	async function planItems(): Promise<Map<number, unknown>> {
		const failed = new Map<number, unknown>();
		if (!operation.prepare) return failed;
		const opening = indexes.map(
			async (item) => await openItem(item).catch((error: unknown) => failed.set(item, error)),
		);
		await Promise.all(opening);
		return await operation.prepare(opened, failed);
	}

	const refused = await planItems();

	async function runItem(item: number): Promise<INodeExecutionData[]> {
		if (refused.has(item)) throw refused.get(item);
		const run = opened.get(item) ?? (await openItem(item));
		const given = await operation.run(run);
		const isAlone = !Array.isArray(given) && !isForModel;
		const outputs = isAlone ? [run.files.handOn(given)] : [given].flat();
		const all = outputs.map((output) => toItem(output, run.isRaw));
		return isForModel ? fitForModel(all, run.parameters.raw('limit')) : all;
	}

	/** The output of a failed item. Throws the error for n8n if the node does not continue on errors. */
	function failItem(item: number, thrown: unknown): INodeExecutionData[] {
		const error = nameMissing(thrown, operation, opened.get(item)?.parameters);
		if (!continues) {
			const place = { index: item, total: indexes.length };
			throw toNodeError(context.getNode(), error, readForms(), place);
		}
		const output = showError(error);
		return [isForModel ? output : openItemFiles(context, item).handOn(output)];
	}

	// One item that must not run ends the run before it begins.
	const waiting = refused.size && !continues ? [Math.min(...refused.keys())] : [...indexes];
	const results: INodeExecutionData[][] = [];
	const failures = new Map<number, unknown>();
	async function runSome(): Promise<void> {
		for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
			try {
				results[item] = await runItem(item).catch((error: unknown) => failItem(item, error));
				progress.endItem();
			} catch (error) {
				failures.set(item, error);
				waiting.length = 0;
			}
		}
	}
	const runners = Math.min(items.concurrency, waiting.length);
	await Promise.all(Array.from({ length: runners }, runSome));

	const { hasGarbled, sent, waited } = items.scope;
	if (hasGarbled) note('garbled');
	if (!failures.size && !results.some(({ length }) => length)) note('found nothing');
	context.addExecutionHints(
		...describeRun(facts, findApi()?.place ?? '', waited, progress.took, (writes) =>
			forecast(sent + writes),
		),
	);

	if (failures.size) throw failures.get(Math.min(...failures.keys()));
	return results.flatMap((outputs, item) =>
		outputs.map((output) => ({ pairedItem: { item }, ...output })),
	);
}

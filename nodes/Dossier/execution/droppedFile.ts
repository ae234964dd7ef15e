import type { IExecuteFunctions } from 'n8n-workflow';
import { isObject } from '../dialect/paths';

/** A step before this one that had files, and the step behind it that did not hand them on. */
interface Dropped {
	by: string;
	from: string;
}

/**
 * Finds the step that did not hand on the files of an item: one without files whose predecessors had some.
 *
 * @returns `undefined` if no earlier step had files, or n8n does not know from which of its items this one comes
 */
export function findDropped(context: IExecuteFunctions, itemIndex: number): Dropped | undefined {
	const { $ } = context.getWorkflowDataProxy(itemIndex) as { $: (name: string) => unknown };
	const hasFiles = (name: string): boolean | undefined => {
		try {
			const step = $(name) as { item?: { binary?: unknown } };
			return isObject(step.item?.binary) && Object.keys(step.item.binary).length > 0;
		} catch {
			// The step did not run, or its items do not say which of them became this one.
			return undefined;
		}
	};
	const before = (name: string) => context.getParentNodes(name).map((node) => node.name);
	const steps = before(context.getNode().name).map((name) => ({ name, earlier: before(name) }));
	const found = steps
		.filter(({ name }) => hasFiles(name) === false)
		// The step with the fewest predecessors is the first that had none.
		.sort((a, b) => a.earlier.length - b.earlier.length)
		.map(({ name, earlier }) => ({ by: name, from: earlier.find((one) => hasFiles(one)) }))
		.find(({ from }) => from !== undefined);
	return found?.from === undefined ? undefined : { by: found.by, from: found.from };
}

import type { Api } from '../api/client';
import type { ItemFiles } from './binary';
import { namePart } from './explain';
import type { ItemRun, OpenedPart, Output, Parts } from './operation';

/** What the work on the parts of an item needs of it. */
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

/** Gives the function that works on the parts of an item, as `ItemRun.each` says. */
export const createEach =
	({ api, files, isAlone, showError, continues }: PartOwner): ItemRun['each'] =>
	async <Part>(
		parts: Parts<Part>,
		work: (part: Part, api: Api) => Promise<Output>,
		handsOnFiles = true,
	) => {
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
			return [
				handsOnFiles
					? files.handOn(
							output,
							names.filter((one) => one !== name),
						)
					: output,
			];
		});
	};

import type { DrawnService } from './generator';

type Parts = Record<string, unknown>;

const isParts = (value: unknown): value is Parts =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every copy of an object that lacks one of its members, or one of theirs. */
function* listSmaller<T extends object>(whole: T): Generator<T> {
	for (const name of Object.keys(whole)) {
		const copy = structuredClone(whole);
		Reflect.deleteProperty(copy, name);
		yield copy;
	}
	for (const [name, part] of Object.entries(whole)) {
		if (!isParts(part)) continue;
		for (const smaller of listSmaller(part)) yield { ...whole, [name]: smaller };
	}
}

/** The smallest service, made from one that fails by leaving parts away, that still fails. Tries at most `limit` services. */
export async function shrink(
	drawn: DrawnService,
	fails: (smaller: DrawnService) => Promise<boolean>,
	limit: number,
): Promise<DrawnService> {
	let smallest = drawn;
	let tried = 0;
	for (let isSmaller = true; isSmaller; ) {
		isSmaller = false;
		for (const dialect of listSmaller(smallest.dialect)) {
			if (++tried > limit) return smallest;
			const smaller = { ...smallest, dialect };
			if (!(await fails(smaller))) continue;
			smallest = smaller;
			isSmaller = true;
			break;
		}
	}
	return smallest;
}

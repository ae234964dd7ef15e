import type { IDataObject } from 'n8n-workflow';
import { contract } from '../../dialect/contract';
import { Problem } from '../../problems/problem';
import { toText } from '../json';
import type { Page } from './pageReader';

/** How far the reading of a list has come. */
export interface Reached {
	/** How many records were read. */
	read: number;
	/** How many pages were read. */
	pages: number;
	/** How many of the last pages in a row were empty. */
	empty: number;
	/** The fingerprint of a query that was sent. If it is sent again, the pages form a circle. */
	mark?: string;
}

/** Where the reading of a list stopped. */
export interface Resume extends Reached {
	/** The query of the next page, under the service's names. */
	next: IDataObject;
}

/** Equal for equal queries, whether their values are numbers or text. */
export const fingerprintQuery = (query: IDataObject = {}) =>
	JSON.stringify(
		Object.entries(query)
			.map(([name, value]) => [name, toText(value) ?? value])
			.sort(),
	);

/**
 * Equal for equal pages, which a service that ignores the page number sends again and again. `undefined` if equal content
 * does not prove a repetition: the records have no id, and the service names a next page.
 */
function fingerprintPage({ records, isNextNamed }: Page): string | undefined {
	const ids = records.map(({ id }) => toText(id));
	if (!ids.includes(undefined)) return ids.length ? JSON.stringify(ids) : undefined;
	return isNextNamed ? undefined : JSON.stringify(records);
}

/** A later page may come again this many times as often as the first one: new records may have pushed it on. */
const MOST_SHIFTED = 10;

/** Follows the pages that are read, and notices if they do not lead on. */
export class PageProgress {
	private content?: string;
	private repeated = 0;
	private isPromised = false;
	readonly reached: Reached;

	/** @param repeats how many pages in a row may equal the first page */
	constructor(
		resume: Resume | undefined,
		private readonly repeats: number,
	) {
		this.reached = { read: 0, pages: 0, empty: 0, ...resume };
	}

	/**
	 * Notes a page; tells whether the list goes on with it, and it is not the page before once more.
	 *
	 * @throws Problem if the service has more records, and gives the first ones again in place of the next, or empty pages
	 * that lead to ever more
	 */
	leadsOn(page: Page): boolean {
		const { records, next, isNextNamed, counted } = page;
		const { reached } = this;
		if (!records.length && !(next && isNextNamed)) return false;
		const content = fingerprintPage(page);
		this.repeated = content !== undefined && content === this.content ? this.repeated + 1 : 0;
		// A service that gives its first page twice does not understand how the next one is asked for.
		const isFirst = reached.read === this.repeated * records.length;
		if (this.repeated > this.repeats * (isFirst ? 1 : MOST_SHIFTED)) {
			if (isFirst && (this.isPromised || counted > reached.read)) throw this.stop(counted);
			return false;
		}
		this.content = content;
		reached.pages++;
		reached.read += records.length;
		reached.empty = records.length ? 0 : reached.empty + 1;
		const { empty } = reached;
		if (empty >= contract.pages.mostEmpty) throw new Problem('LIST_ENDLESS', { empty });
		this.isPromised = page.hasMore === true || (isNextNamed && next !== undefined);
		return true;
	}

	/**
	 * Refuses a next page that was read before. It remembers one query, and another one whenever the number of pages has
	 * doubled, so that it notices a circle of any length after some rounds (Brent's algorithm).
	 */
	refuseCircle(next: IDataObject): void {
		const { reached } = this;
		const query = fingerprintQuery(next);
		if (query === reached.mark) throw new Problem('LIST_ENDLESS', { empty: 0 });
		if (Number.isInteger(Math.log2(reached.pages))) reached.mark = query;
	}

	/** The problem of a list that has more records and does not lead to them. */
	stop(counted: number): Problem {
		return new Problem('LIST_NOT_CONTINUED', { read: this.reached.read, counted });
	}
}

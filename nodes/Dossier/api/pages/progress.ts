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

/** A later page may come again this many times as often as the first one: new records may have pushed it on. */
const MOST_SHIFTED = 10;

/** Follows the pages that are read, and notices if they do not lead on. */
export class PageProgress {
	private readonly seen = new Set<string>();
	private content?: string;
	private repeated = 0;
	/** The page before. */
	private last?: Page;
	readonly reached: Reached;

	/** @param repeats how many pages in a row may equal the first page */
	constructor(
		resume: Resume | undefined,
		private readonly repeats: number,
	) {
		this.reached = { read: 0, pages: 0, empty: 0, ...resume };
	}

	/** Whether the page before led to another one, or said that there is one. */
	private get isPromised(): boolean {
		const { hasMore, isNextNamed, next } = this.last ?? {};
		return hasMore === true || (isNextNamed === true && next !== undefined);
	}

	/** Whether the service has said that the records of this page exist. A cursor may lead to an empty end. */
	private isOwed(counted: number): boolean {
		if (!this.isPromised) return false;
		const { hasMore, isNumbered } = this.last ?? {};
		return hasMore === true || isNumbered === true || counted > this.reached.read;
	}

	/** Notes the records of a page; tells how many were not on any page before. */
	private note(page: Page): number {
		const { records } = page;
		const before = this.seen.size;
		const ids = records.map(({ id }) => toText(id)).filter((id) => id !== undefined);
		for (const id of ids) this.seen.add(id);
		if (ids.length === records.length) return this.seen.size - before;
		// Equal records without an id do not prove a repetition if the service names a next page.
		const content = page.isNextNamed ? undefined : JSON.stringify(records);
		const isSame = content !== undefined && content === this.content;
		this.content = content;
		return isSame ? 0 : records.length;
	}

	/**
	 * Notes a page; tells whether the list goes on with it, and it does not repeat what was read.
	 *
	 * @throws Problem if the service has more records, and gives earlier ones again in place of the next, no list, or empty
	 * pages that lead to ever more
	 */
	leadsOn(page: Page): boolean {
		const { records, next, isNextNamed, counted, hasMore } = page;
		const { reached } = this;
		if (!page.hasList && this.isOwed(counted)) throw this.stop(counted);
		if (!records.length && !hasMore && !(next && isNextNamed)) return false;
		const fresh = this.note(page);
		this.repeated = records.length && !fresh ? this.repeated + 1 : 0;
		// A service that gives its first page twice does not understand how the next one is asked for.
		const isFirst = reached.pages === this.repeated;
		if (this.repeated > this.countAllowed(isFirst)) {
			if (!isFirst && this.isPromised) throw this.failEndless('repeated');
			if (isFirst && (this.isPromised || counted > reached.read)) throw this.stop(counted);
			return false;
		}
		reached.pages++;
		reached.read += fresh;
		reached.empty = records.length ? 0 : reached.empty + 1;
		if (reached.empty >= contract.pages.mostEmpty) throw this.failEndless('empty');
		this.last = page;
		return true;
	}

	/** How many pages in a row may hold nothing new. A later one may, because records were added while the list was read. */
	private countAllowed(isFirst: boolean): number {
		if (isFirst) return this.repeats;
		return Math.max(this.repeats * MOST_SHIFTED, this.isPromised ? 1 : 0);
	}

	/**
	 * Refuses a next page that was read before. It remembers one query, and another one whenever the number of pages has
	 * doubled, so that it notices a circle of any length after some rounds (Brent's algorithm).
	 */
	refuseCircle(next: IDataObject): void {
		const { reached } = this;
		const query = fingerprintQuery(next);
		if (query === reached.mark) throw this.failEndless('circle');
		if (Number.isInteger(Math.log2(reached.pages))) reached.mark = query;
	}

	/** The problem of a list that has more records and does not lead to them. */
	stop(counted: number): Problem {
		return new Problem('LIST_NOT_CONTINUED', { read: this.reached.read, counted });
	}

	/** The problem of a list without an end. */
	failEndless(fault: 'circle' | 'repeated' | 'empty' | 'long'): Problem {
		const { pages, empty } = this.reached;
		return new Problem('LIST_ENDLESS', { fault, pages: fault === 'empty' ? empty : pages });
	}
}

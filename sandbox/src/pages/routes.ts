import type { ControlRoutes } from '../control/request.ts';
import type { Service } from '../service.ts';
import { layout } from './layout.ts';
import { explainRefusal } from './request.ts';
import type { FormFields, Page, PageContext, PageRequest } from './request.ts';

/** Where a form leads to when it is done: an address with a word for what to say there. */
export type FormAction = (request: PageRequest, fields: FormFields) => string | Promise<string>;

/** Forms are small; what is larger is not read. */
const formLimit = 256 * 1024;

/** The pages below `/_sandbox`, added one by one. */
export class PageRoutes {
	readonly #routes: ControlRoutes;
	readonly #service: Service;
	readonly #control: ControlRoutes;

	constructor(routes: ControlRoutes, service: Service, control: ControlRoutes) {
		this.#routes = routes;
		this.#service = service;
		this.#control = control;
	}

	/** Shows a page at a path. */
	page(path: string, page: Page): void {
		this.#routes.get(path, (context) => this.show(context, page));
	}

	/** Does what a form at a path asks for, and shows `page` with what was entered where that is refused. */
	form(path: string, page: Page, action: FormAction): void {
		this.#routes.post(path, async (context) => {
			const fields = await fieldsOf(context);
			return await this.#attempt(context, fields, page, (request) => action(request, fields));
		});
	}

	/** As `form`, where the action reads the body itself, because it brings a file. */
	upload(path: string, page: Page, action: (request: PageRequest) => Promise<string>): void {
		this.#routes.post(path, (context) => this.#attempt(context, new Map(), page, action));
	}

	/** Answers a path with something else than a page. */
	other(path: string, answer: (request: PageRequest) => Response | Promise<Response>): void {
		this.#routes.get(path, (context) => answer(this.#request(context)));
	}

	async show(
		context: PageContext,
		page: Page,
		refused?: PageRequest['refused'],
		status: 200 | 400 | 404 | 500 = 200,
	): Promise<Response> {
		const request = { ...this.#request(context), ...(refused && { refused }) };
		return await context.html(layout(request, await page(request)), status);
	}

	async #attempt(
		context: PageContext,
		fields: FormFields,
		page: Page,
		action: (request: PageRequest) => string | Promise<string>,
	): Promise<Response> {
		try {
			return context.redirect(await action(this.#request(context)), 303);
		} catch (error) {
			const sentence = explainRefusal(error);
			if (sentence === undefined) throw error;
			return await this.show(context, page, { action: context.req.path, fields, sentence }, 400);
		}
	}

	#request(context: PageContext): PageRequest {
		return { context, service: this.#service, control: this.#control };
	}
}

/** The fields of a form without those that are empty. Throws a RangeError where it is none that a page of this sandbox sends. */
async function fieldsOf({ req }: PageContext): Promise<FormFields> {
	const size = Number(req.header('content-length') ?? NaN);
	const type = req.header('content-type') ?? '';
	if (!(size <= formLimit) || !type.startsWith('application/x-www-form-urlencoded')) {
		throw new RangeError('This is no form of this page.');
	}
	const fields: FormFields = new Map();
	for (const [name, value] of new URLSearchParams(await req.text())) {
		const text = value.trim();
		if (text !== '') fields.set(name, [...(fields.get(name) ?? []), text]);
	}
	return fields;
}

import type { ControlRoutes } from '../control/index.mts';
import type { Service } from '../service.mts';
import { layout } from './layout.mts';
import { callControl, explainRefusal } from './request.mts';
import type { Page, PageContext, PageRequest } from './request.mts';

/** Does what a form asks for, and gives the address to show next; `?done=…` in it chooses the notice. */
type FormAction = (request: PageRequest, fields: URLSearchParams) => string | Promise<string>;

/** The path of a form, the operation of the control room whose fields it has, and the address to show next. */
type Command = [path: string, operation: string, then: string];

/** The largest form that is read, in bytes. */
const maxFormBytes = 256 * 1024;

/** The routes of pages and their forms, below `/_sandbox`. */
export class PageRoutes {
	readonly #routes: ControlRoutes;
	readonly #service: Service;
	readonly #api: ControlRoutes;

	constructor(routes: ControlRoutes, service: Service, api: ControlRoutes) {
		this.#routes = routes;
		this.#service = service;
		this.#api = api;
	}

	/** Shows a page at a path. */
	page(path: string, page: Page): void {
		this.#routes.get(path, (context) => this.show(context, page));
	}

	/** Runs the action of a form. If it throws a refusal, shows `page` again with the reason and the fields that were entered. */
	form(path: string, page: Page, action: FormAction): void {
		this.#routes.post(path, async (context) => {
			const fields = await readForm(context);
			return await this.#run(context, fields, page, (request) => action(request, fields));
		});
	}

	/** As `form`, for the commands of a page. */
	commands(page: Page, list: Command[]): void {
		for (const [path, operation, then] of list) {
			this.form(path, page, async (request, fields) => {
				await callControl(request, operation, fields);
				return `/_sandbox${then}`;
			});
		}
	}

	/** As `form`, for an action that reads the body itself because the form brings a file. */
	upload(path: string, page: Page, action: (request: PageRequest) => Promise<string>): void {
		this.#routes.post(path, (context) => this.#run(context, new URLSearchParams(), page, action));
	}

	/** Answers a path with something other than a page. */
	get(path: string, answer: (request: PageRequest) => Response | Promise<Response>): void {
		this.#routes.get(path, (context) => answer(this.#createRequest(context)));
	}

	async show(
		context: PageContext,
		page: Page,
		refused?: PageRequest['refused'],
		status: 200 | 400 | 404 | 500 = 200,
	): Promise<Response> {
		const request = { ...this.#createRequest(context), ...(refused && { refused }) };
		return await context.html(layout(request, await page(request)), status);
	}

	async #run(
		context: PageContext,
		fields: URLSearchParams,
		page: Page,
		action: (request: PageRequest) => string | Promise<string>,
	): Promise<Response> {
		try {
			return context.redirect(await action(this.#createRequest(context)), 303);
		} catch (error) {
			const sentence = explainRefusal(error);
			if (sentence === undefined) throw error;
			return await this.show(context, page, { action: context.req.path, fields, sentence }, 400);
		}
	}

	#createRequest(context: PageContext): PageRequest {
		return { context, service: this.#service, api: this.#api };
	}
}

/** The fields of a form that are not empty, trimmed. Throws a RangeError if the body is not a form of a page. */
async function readForm({ req }: PageContext): Promise<URLSearchParams> {
	const size = Number(req.header('content-length') ?? NaN);
	const type = req.header('content-type') ?? '';
	if (!(size <= maxFormBytes) || !type.startsWith('application/x-www-form-urlencoded')) {
		throw new RangeError('This is not a form of this page.');
	}
	const fields = [...new URLSearchParams(await req.text())].map(
		([name, value]): [string, string] => [name, value.trim()],
	);
	return new URLSearchParams(fields.filter(([, value]) => value !== ''));
}

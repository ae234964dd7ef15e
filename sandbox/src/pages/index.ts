import { readFileSync } from 'node:fs';
import { html } from 'hono/html';
import { Hono } from 'hono';
import type { Alarm } from '../http/pipeline.ts';
import { ServiceError } from '../contract/service-error.ts';
import type { ControlRoutes } from '../control/room.ts';
import { newId } from '../platform/ids.ts';
import type { Service } from '../service.ts';
import { controlPages } from './controls.ts';
import { dossierPages } from './dossier.ts';
import { faultPages } from './faults.ts';
import { alone } from './headers.ts';
import { journalPages } from './journal.ts';
import { outboxPages } from './outbox.ts';
import { overview, overviewPages } from './overview.ts';
import { recordPages } from './records.ts';
import { referencePages } from './reference/index.ts';
import { PageRoutes } from './routes.ts';
import { refusalIn } from './visit.ts';
import type { Page } from './visit.ts';
import { webhookPages } from './webhooks.ts';

const assets = [
	['page.css', 'text/css; charset=utf-8'],
	['portal.css', 'text/css; charset=utf-8'],
	['page.js', 'text/javascript; charset=utf-8'],
	['icon.svg', 'image/svg+xml'],
] as const;

/** Adds the pages of the control room to its routes, after the control API. */
export function openPages(control: ControlRoutes, service: Service, alarm: Alarm): void {
	const pages: ControlRoutes = new Hono({ strict: false });
	const routes = new PageRoutes(pages, service, control);

	pages.use('*', alone);
	for (const [name, type] of assets) {
		const content = readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
		pages.get(`/${name}`, (context) => context.body(content, 200, { 'Content-Type': type }));
	}
	routes.page('/', overview);
	for (const add of [
		overviewPages,
		recordPages,
		dossierPages,
		journalPages,
		webhookPages,
		outboxPages,
		controlPages,
		faultPages,
		referencePages,
	]) {
		add(routes);
	}
	pages.get('*', async (context, next) => {
		const isPage = /text\/html/.test(context.req.header('accept') ?? '');
		if (!isPage || context.req.path.startsWith('/_sandbox/api')) return await next();
		return await routes.show(context, problem('Nothing is at this address.'), undefined, 404);
	});
	pages.onError(async (error, context) => {
		const sentence = refusalIn(error);
		if (sentence !== undefined) {
			return await routes.show(context, problem(sentence), undefined, statusOf(error));
		}
		const requestId = newId('req');
		alarm(requestId, error);
		const failure = `The sandbox failed to show this page. Its console shows why, under ${requestId}.`;
		return await routes.show(context, problem(failure), undefined, 500);
	});
	control.route('/', pages);
}

function problem(sentence: string): Page {
	const body = html`<p class="lead">${sentence}</p>
		<p><a href="/_sandbox/">To the overview</a></p>`;
	return () => ({ title: 'There is no such page', section: '', body });
}

/** What an address names is missing, or what a form brought cannot be taken. */
function statusOf(error: unknown): 400 | 404 {
	return error instanceof ServiceError && error.status !== 404 ? 400 : 404;
}

import { readFileSync } from 'node:fs';
import { html } from 'hono/html';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Alarm } from '../http/exchange.mts';
import { ServiceError } from '../contract/service-error.mts';
import type { Control, ControlRoutes } from '../control/index.mts';
import { newId } from '../platform/ids.mts';
import type { Service } from '../service.mts';
import { addChanges } from './changes.mts';
import { addControlPages } from './controls.mts';
import { addDocumentPages, documentPath } from './document.mts';
import { addDossierPages } from './dossier.mts';
import { addFaultPages } from './faults.mts';
import { addOutboxPages } from './outbox.mts';
import { addOverviewPages } from './overview.mts';
import { addPortalPages } from './portal.mts';
import { addRecordPages } from './records.mts';
import { explainRefusal } from './request.mts';
import type { Page } from './request.mts';
import { addRequestPages } from './requests.mts';
import { PageRoutes } from './routes.mts';
import { addWebhookPages } from './webhooks.mts';

const assets = [
	['page.css', 'text/css; charset=utf-8'],
	['page.js', 'text/javascript; charset=utf-8'],
	['icon.svg', 'image/svg+xml'],
] as const;

/** Pages load scripts, styles and images from this server only, and have nothing inline. */
const pagePolicy = {
	defaultSrc: ["'none'"],
	scriptSrc: ["'self'"],
	styleSrc: ["'self'"],
	imgSrc: ["'self'", 'data:'],
	connectSrc: ["'self'"],
	formAction: ["'self'"],
	baseUri: ["'none'"],
	frameAncestors: ["'none'"],
};
const pageOptions = {
	// `no-referrer` would remove the origin from forms, which tells them from forms of other sites.
	referrerPolicy: 'same-origin',
	// The sandbox speaks plain HTTP.
	strictTransportSecurity: false,
} as const;
const pageHeaders = secureHeaders({ ...pageOptions, contentSecurityPolicy: pagePolicy });

/** As `pageHeaders`, and may show a file of this server in a frame. */
const previewHeaders = secureHeaders({
	...pageOptions,
	contentSecurityPolicy: { ...pagePolicy, frameSrc: ["'self'"] },
});

/** A file from outside runs nothing, loads nothing, and is shown within pages of this server only. */
const fileHeaders = secureHeaders({
	...pageOptions,
	xFrameOptions: 'SAMEORIGIN',
	contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'self'"] },
});

/** Adds the pages of the control room to its routes, after the control API. */
export function openPages({ routes: control, api }: Control, service: Service, alarm: Alarm): void {
	const pages: ControlRoutes = new Hono({ strict: false });
	const routes = new PageRoutes(pages, service, api);

	// The first one has the last word.
	pages.use(`${documentPath}/content`, fileHeaders);
	pages.use(documentPath, previewHeaders);
	pages.use('*', pageHeaders);
	pages.use('*', async (context, next) => {
		await next();
		context.header('Cache-Control', 'no-store');
	});
	for (const [name, type] of assets) {
		const content = readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
		pages.get(`/${name}`, (context) => context.body(content, 200, { 'Content-Type': type }));
	}
	for (const add of [
		addChanges,
		addOverviewPages,
		addRecordPages,
		addDossierPages,
		addDocumentPages,
		addRequestPages,
		addWebhookPages,
		addOutboxPages,
		addControlPages,
		addFaultPages,
	]) {
		add(routes);
	}
	addPortalPages(pages, service);
	pages.get('*', async (context, next) => {
		const wantsPage = /text\/html/.test(context.req.header('accept') ?? '');
		if (!wantsPage || context.req.path.startsWith('/_sandbox/api')) return await next();
		return await routes.show(context, problem('Nothing is at this address.'), undefined, 404);
	});
	pages.onError(async (error, context) => {
		const sentence = explainRefusal(error);
		if (sentence !== undefined) {
			const status = error instanceof ServiceError && error.status !== 404 ? 400 : 404;
			return await routes.show(context, problem(sentence), undefined, status);
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
	return () => ({ title: 'Page not found', section: '', body });
}

import { getCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { RequestContext } from '../accounts/caller.mts';
import { ServiceError } from '../contract/service-error.mts';
import type { ControlRoutes } from '../control/index.mts';
import type { StoredRecord } from '../database/database.mts';
import { newId } from '../platform/ids.mts';
import { formatName } from '../portal/portal-users.mts';
import { readList, readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { fetchRecords } from './datasets.mts';
import { answerWaitMs } from './deliveries.mts';
import { formatBytes, timestamp, userText } from './elements.mts';
import type { Html } from './elements.mts';
import { button } from './forms.mts';
import { cookieName, findOrganization, formatUser, portalPage, render } from './portal-page.mts';
import { explainRefusal } from './request.mts';
import type { PageContext } from './request.mts';
import { addUpload } from './upload.mts';

const home = '/_sandbox/portal';
const path = '/portal/dossiers/:id';

/** The portal of a client who has signed in: he sees his dossiers, and sends files. */
export function addPortalDossiers(routes: ControlRoutes, service: Service): void {
	routes.get('/portal', (context) =>
		render(context, () => {
			const user = findClient(service, context);
			const dossiers = listDossiers(service, user);
			return clientPage(
				service,
				user,
				html`<h2>Your dossiers</h2>
					${dossiers.length === 0
						? html`<p>No dossier is shared with you yet.</p>`
						: html`<ul class="plain-list">
								${dossiers.map(
									({ id, title }) =>
										html`<li>
											<a href="${home}/dossiers/${encodeURIComponent(readText(id) ?? '')}"
												>${userText(readText(title))}</a
											>
										</li>`,
								)}
							</ul>`}`,
			);
		}),
	);

	routes.get(path, (context) =>
		render(context, () => {
			const user = findClient(service, context);
			const notice =
				context.req.query('done') === 'uploaded'
					? html`<p class="notice good" role="status">Thank you. Your file has arrived.</p>`
					: '';
			return dossierPage(service, user, findSharedDossier(service, user, context), notice);
		}),
	);

	routes.post(`${path}/documents`, (context) =>
		render(context, async () => {
			const user = findClient(service, context);
			const dossier = findSharedDossier(service, user, context);
			const id = readText(dossier.fields.id) ?? '';
			try {
				await addUpload(
					service,
					context.env.incoming,
					createClientContext(service, user, context),
					id,
				);
			} catch (error) {
				const sentence = explainRefusal(error);
				if (sentence === undefined) throw error;
				const notice = html`<p class="notice bad" role="alert">${sentence}</p>`;
				return await context.html(dossierPage(service, user, dossier, notice), 400);
			}
			await service.dispatch.idle(answerWaitMs);
			return context.redirect(`${home}/dossiers/${encodeURIComponent(id)}?done=uploaded`, 303);
		}),
	);
}

/** The client whose session the cookie names. Throws 401 `INVALID_TOKEN` if there is none. */
function findClient({ sessions }: Service, context: PageContext): StoredRecord {
	const user = sessions.findUser(getCookie(context, cookieName) ?? '');
	if (user) return user;
	const message = 'You are not signed in. Follow the link in the message that you were sent.';
	throw new ServiceError('INVALID_TOKEN', message);
}

function listDossiers({ dossiers }: Service, { dataset, fields }: StoredRecord): JsonObject[] {
	const ids = readList(fields.dossier_ids).flatMap((id) => readText(id) ?? []);
	return ids.map((id) => dossiers.find(dataset, id).fields);
}

/** A dossier that is shared with a client. Throws 404 `DOSSIER_NOT_FOUND` for all others. */
function findSharedDossier(
	service: Service,
	user: StoredRecord,
	context: PageContext,
): StoredRecord {
	const wanted = context.req.param('id') ?? '';
	const isShared = readList(user.fields.dossier_ids).includes(wanted);
	if (isShared) return service.dossiers.find(user.dataset, wanted);
	throw new ServiceError('DOSSIER_NOT_FOUND', 'This dossier is not shared with you.');
}

function createClientContext(
	{ clock }: Service,
	{ dataset, fields }: StoredRecord,
	{ env: { incoming } }: PageContext,
): RequestContext {
	const id = readText(fields.id);
	return {
		dataset,
		userId: id ?? '',
		actor: { type: 'portal_user', id, name: formatName(fields) },
		time: clock.iso(),
		ipAddress: incoming.socket.remoteAddress ?? null,
		userAgent: incoming.headers['user-agent'] ?? null,
		requestId: newId('req'),
	};
}

function clientPage(service: Service, user: StoredRecord, content: Html): Html {
	const who = formatUser(user);
	return portalPage(
		findOrganization(service, user),
		html`<p class="quiet">
				${who === '' ? 'You are signed in.' : html`You are signed in as <bdi>${who}</bdi>.`}
			</p>
			${content} ${button(`${home}/sign-out`, 'Sign out')}`,
	);
}

function dossierPage(
	service: Service,
	user: StoredRecord,
	{ n, fields }: StoredRecord,
	notice: Html | string,
): Html {
	const { records } = fetchRecords(
		service,
		{ sql: 'dossier = ?', value: n },
		{ table: 'documents', store: service.documents },
		{ page: 1, size: 100 },
	);
	const action = `${home}/dossiers/${encodeURIComponent(readText(fields.id) ?? '')}/documents`;
	return clientPage(
		service,
		user,
		html`${notice}
			<p><a href="${home}">Your dossiers</a></p>
			<h2>${userText(readText(fields.title))}</h2>
			${fields.status === 'archived'
				? html`<p>This dossier is closed for good. It takes no more files.</p>`
				: html`<form method="post" action="${action}" enctype="multipart/form-data">
						<input type="hidden" name="category" value="other" />
						<div class="field drop">
							<label for="file">Drop a file here, or choose one</label>
							<input id="file" name="file" type="file" required />
						</div>
						<button type="submit">Send the file</button>
					</form>`}
			<h2>Files in this dossier</h2>
			${records.length === 0
				? html`<p>There are no files yet.</p>`
				: html`<ul class="plain-list">
						${records.map(
							(one) =>
								html`<li>
									${userText(readText(one.file_name))}
									<span class="quiet"
										>${formatBytes(Number(one.size_bytes))},
										${timestamp(readText(one.created_at))}</span
									>
								</li>`,
						)}
					</ul>`}`,
	);
}

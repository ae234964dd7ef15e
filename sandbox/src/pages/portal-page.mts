import { html } from 'hono/html';
import { ServiceError } from '../contract/service-error.mts';
import type { StoredRecord } from '../database/database.mts';
import { formatName } from '../portal/portal-users.mts';
import type { Service } from '../service.mts';
import { listDatasets } from './datasets.mts';
import type { Html } from './elements.mts';
import { explainRefusal } from './request.mts';
import type { PageContext } from './request.mts';

/** The cookie with the token of a client's session. */
export const cookieName = 'dossier_portal';

type PageAnswer = Html | Response;

/** Answers with a page, or with the reason for which the client is refused. */
export async function render(
	context: PageContext,
	makePage: () => PageAnswer | Promise<PageAnswer>,
): Promise<Response> {
	try {
		const page = await makePage();
		return page instanceof Response ? page : context.html(page);
	} catch (error) {
		const sentence = explainRefusal(error);
		if (sentence === undefined) throw error;
		const status = error instanceof ServiceError ? error.status : 400;
		return context.html(portalPage(null, html`<p role="alert">${sentence}</p>`), status);
	}
}

/** The name of a client, or his address; an empty text if the user has neither. */
export function formatUser({ fields }: StoredRecord): string {
	return formatName(fields) ?? '';
}

export function findOrganization(service: Service, { dataset }: StoredRecord): string {
	return listDatasets(service).find(({ n }) => n === dataset)?.organization.name ?? '';
}

/** A page of the portal. `organization`: whose portal it is, if that is known. */
export function portalPage(organization: string | null, content: Html): Html {
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>Portal – Dossier sandbox</title>
				<link rel="stylesheet" href="/_sandbox/page.css" />
				<link rel="icon" href="/_sandbox/icon.svg" type="image/svg+xml" />
			</head>
			<body class="portal">
				<main>
					<h1>Portal${organization === null ? '' : html` of <bdi>${organization}</bdi>`}</h1>
					${content}
				</main>
				<footer>A page of the dossier sandbox, in place of the real portal.</footer>
			</body>
		</html>`;
}

import { html } from 'hono/html';
import { ServiceError } from '../contract/service-error.mts';
import type { ControlRoutes } from '../control/index.mts';
import { newId } from '../platform/ids.mts';
import { formatName } from '../portal/portal-users.mts';
import type { StoredRecord } from '../database/database.mts';
import type { Service } from '../service.mts';
import { listDatasets } from './datasets.mts';
import type { Html } from './elements.mts';
import type { PageContext } from './request.mts';

/**
 * The page that the links of invitations and sign-ins lead to. It replaces the portal, which is not part of the sandbox. It asks before it
 * redeems a token, because mail scanners open links, too.
 */
export function addPortalPages(routes: ControlRoutes, service: Service): void {
	const { signIn, clock } = service;

	routes.get('/portal/:way/:token', (context) =>
		render(context, () => {
			const { user, isInvitation } = signIn.find(context.req.param('token'));
			const organization = findOrganization(service, user);
			const who = formatUser(user);
			const reason = isInvitation
				? `${organization} invites you to its portal.`
				: 'This link signs you in.';
			return page(
				organization,
				html`<p>${reason}${who && html` You sign in${who}.`}</p>
					<form method="post"><button>Sign in</button></form>`,
			);
		}),
	);

	routes.post('/portal/:way/:token', (context) =>
		render(context, () => {
			const { socket, headers } = context.env.incoming;
			const token = context.req.param('token');
			const { user } = signIn.find(token);
			signIn.redeem(token, {
				time: clock.iso(),
				ipAddress: socket.remoteAddress ?? null,
				userAgent: headers['user-agent'] ?? null,
				requestId: newId('req'),
			});
			const done = html`<p>You are signed in${formatUser(user)}.</p>`;
			return page(findOrganization(service, user), done);
		}),
	);
}

/** Answers with a page, or with the reason for which the token is refused. */
function render(context: PageContext, makePage: () => Html): Response | Promise<Response> {
	try {
		return context.html(makePage());
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return context.html(page(null, html`<p role="alert">${error.message}</p>`), error.status);
	}
}

/** Whom the token signs in, for the end of a sentence; nothing if the user has neither a name nor an address. */
function formatUser({ fields }: StoredRecord): Html | string {
	const name = formatName(fields);
	return name === null ? '' : html` as <bdi>${name}</bdi>`;
}

function findOrganization(service: Service, { dataset }: StoredRecord): string {
	return listDatasets(service).find(({ n }) => n === dataset)?.organization.name ?? '';
}

function page(organization: string | null, content: Html) {
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

import { html } from 'hono/html';
import { ServiceError } from '../contract/service-error.ts';
import { statusByCode } from '../http/error-answer.ts';
import { newId } from '../platform/ids.ts';
import { isObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { formatName } from '../portal/portal-users.ts';
import type { ControlRoutes } from '../control/request.ts';

/**
 * Where the links of invitations and sign-ins lead: a page that asks before it redeems, since programs that look into mails open
 * links as well. It stands for the portal, which is no part of the sandbox.
 */
export function portalPages(routes: ControlRoutes, service: Service): void {
	routes.get('/portal/:way/:token', (context) =>
		context.html(
			page(
				html`<form method="post">
					<p>This link signs you in to the portal.</p>
					<button>Sign in</button>
				</form>`,
			),
		),
	);

	routes.post('/portal/:way/:token', (context) => {
		const { socket, headers } = context.env.incoming;
		const origin = {
			time: service.clock.iso(),
			ipAddress: socket.remoteAddress ?? null,
			userAgent: headers['user-agent'] ?? null,
			requestId: newId('req'),
		};
		try {
			const { portal_user } = service.signIn.redeem(context.req.param('token'), origin);
			const name = isObject(portal_user) ? formatName(portal_user) : null;
			return context.html(
				page(html`<p>You are signed in${name === null ? '' : ` as ${name}`}.</p>`),
			);
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			return context.html(
				page(html`<p role="alert">${error.message}</p>`),
				statusByCode[error.code],
			);
		}
	});
}

function page(content: ReturnType<typeof html>) {
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width" />
				<title>Portal of the dossier sandbox</title>
				<link rel="stylesheet" href="/_sandbox/portal.css" />
			</head>
			<body>
				<h1>Portal</h1>
				${content}
			</body>
		</html>`;
}

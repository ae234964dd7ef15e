import { deleteCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { ControlRoutes } from '../control/index.mts';
import { newId } from '../platform/ids.mts';
import { readText } from '../platform/json.mts';
import { sessionSeconds } from '../portal/sessions.mts';
import type { Service } from '../service.mts';
import { addPortalDossiers } from './portal-dossiers.mts';
import { cookieName, findOrganization, formatUser, portalPage, render } from './portal-page.mts';

/**
 * The portal that the links of invitations and sign-ins lead to, in place of the real one. It asks before it redeems a token, because
 * mail scanners open links, too. Then a client sees the dossiers that were shared with him, and uploads files.
 */
export function addPortalPages(routes: ControlRoutes, service: Service): void {
	const { signIn, clock } = service;
	const link = '/portal/:way{invite|sign-in}/:token';

	routes.get(link, (context) =>
		render(context, () => {
			const { user, isInvitation } = signIn.find(context.req.param('token'));
			const organization = findOrganization(service, user);
			const who = formatUser(user);
			const reason = isInvitation
				? `${organization} invites you to its portal.`
				: 'This link signs you in.';
			return portalPage(
				organization,
				html`<p>${reason}${who && html` You sign in as <bdi>${who}</bdi>.`}</p>
					<form method="post"><button>Sign in</button></form>`,
			);
		}),
	);

	routes.post(link, (context) =>
		render(context, () => {
			const { socket, headers } = context.env.incoming;
			const session = signIn.redeem(context.req.param('token'), {
				time: clock.iso(),
				ipAddress: socket.remoteAddress ?? null,
				userAgent: headers['user-agent'] ?? null,
				requestId: newId('req'),
			});
			setCookie(context, cookieName, readText(session.access_token) ?? '', {
				path: '/_sandbox/portal',
				httpOnly: true,
				sameSite: 'Strict',
				maxAge: sessionSeconds,
			});
			return context.redirect('/_sandbox/portal', 303);
		}),
	);

	routes.post('/portal/sign-out', (context) => {
		deleteCookie(context, cookieName, { path: '/_sandbox/portal' });
		return context.html(portalPage(null, html`<p>You are signed out.</p>`));
	});

	addPortalDossiers(routes, service);
}

/** The templates with which a dialect says how the signature header is written. */
import { createHmac } from 'node:crypto';
import type { DossierCredential } from '../../nodes/Dossier/api/credential';
import { readScheme } from '../../nodes/Dossier/trigger/scheme';
import { verifyDelivery } from '../../nodes/Dossier/trigger/verify';

const NOW = 1_614_265_330_000;
const SECONDS = NOW / 1000;
const SECRET = 'a secret of the service';

const sign = (body: string) => createHmac('sha256', SECRET).update(`${SECONDS}.${body}`).digest();

it.each([
	['{timestamp}:{signature}', `${SECONDS}:SIGNED`],
	['{signature}:{timestamp}', `SIGNED:${SECONDS}`],
	['{timestamp}.{signature}', `"${SECONDS}.SIGNED"`],
	['{timestamp},{signature}', `${SECONDS},SIGNED`],
	['{timestamp}|v1={signature}', `${SECONDS}|v1=SIGNED`],
	['v1:{timestamp}:{signature}', `v1:${SECONDS}:SIGNED`],
	['t={timestamp}, h={signature}', `t=${SECONDS}, h=SIGNED`],
])('A header that is written as %s is read', (format, header) => {
	const credential = { contractOverrides: true } as DossierCredential;
	const scheme = readScheme(credential, { signature: { format, content: '{timestamp}.{body}' } });
	const verify = (signature: string) => {
		const headers = { 'x-webhook-signature': header.replace('SIGNED', signature) };
		const rawBody = Buffer.from('{}');
		return verifyDelivery({ rawBody, headers, secrets: [SECRET], scheme, now: NOW }).ok;
	};
	for (const encoding of ['hex', 'base64', 'base64url'] as const) {
		expect(verify(sign('{}').toString(encoding))).toBe(true);
		expect(verify(sign('[]').toString(encoding))).toBe(false);
	}
});

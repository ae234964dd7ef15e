import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { findSecret } from '../../nodes/Dossier/trigger/webhookRecords';
import {
	deriveSecrets,
	identifySecret,
	nameService,
	openSecret,
	sealSecret,
} from '../../nodes/Dossier/trigger/secrets';
import { forgetSecrets, readKeyring } from '../../nodes/Dossier/trigger/keyring';
import { PRESETS } from '../../nodes/Dossier/trigger/scheme';

const owner = { workflow: 'w1', node: 'n1', webhookId: 'h1' };
const credential = {
	environment: 'production' as const,
	baseUrl: 'https://service.example/v1',
	sandboxUrl: '',
	organizationId: 'org_1',
	apiKey: 'sk_test_1',
	webhookSecret: '',
	previousWebhookSecret: '',
};
const service = nameService(credential);
const holder = { owner, service };

describe('A derived secret', () => {
	const derive = (changes: Partial<typeof owner>, apiKey = 'sk_test_1', at = service) => {
		const other = { owner: { ...owner, ...changes }, service: at };
		return deriveSecrets({ ...credential, apiKey }, other, PRESETS.headers)[0];
	};

	it('is the same for every process, and another for each key, service, workflow, node and webhook', () => {
		expect(derive({})).toBe(derive({}));
		expect(derive({})).toMatch(/^[0-9a-f]{64}$/);
		const others = [
			derive({}),
			derive({}, 'sk_test_2'),
			derive({}, 'sk_test_1', nameService({ ...credential, apiKey: 'sk_live_1' })),
			derive({}, 'sk_test_1', nameService({ ...credential, organizationId: 'org_2' })),
			derive({}, 'sk_test_1', nameService({ ...credential, baseUrl: 'https://b.example' })),
			derive({ workflow: 'w2' }),
			derive({ node: 'n2' }),
			derive({ webhookId: '' }),
			derive({ workflow: 'w1n1', node: '' }),
		];
		expect(new Set(others).size).toBe(others.length);
	});

	it('comes from Webhook Signing Secret if it is set; previous secrets are accepted too', () => {
		const base = { apiKey: 'key', webhookSecret: ' new ', previousWebhookSecret: 'old' };
		const [first, ...others] = deriveSecrets(base, holder, PRESETS.headers);
		expect(first).toBe(derive({}, 'new'));
		expect(others).toEqual([derive({}, 'key'), derive({}, 'old')]);
	});

	it('is spelled as the scheme reads it', () => {
		const [secret = ''] = deriveSecrets(credential, holder, PRESETS.standard);
		expect(secret).toMatch(/^whsec_/);
		expect(Buffer.from(secret.slice(6), 'base64')).toEqual(Buffer.from(derive({}) ?? '', 'hex'));
	});

	it('can be identified without being shown', () => {
		expect(identifySecret('a')).not.toBe(identifySecret('b'));
		expect(identifySecret('a'.repeat(40))).toHaveLength(16);
	});
});

describe('A secret of the service', () => {
	it('is stored so that only a credential of the trigger opens it', () => {
		const sealed = sealSecret('the secret', credential, holder);
		expect(sealed).not.toContain(Buffer.from('the secret').toString('base64').slice(0, 8));
		expect(openSecret(sealed, credential, holder)).toBe('the secret');
		expect(openSecret(sealed, { ...credential, webhookSecret: 'new' }, holder)).toBe('the secret');
		expect(openSecret(sealed, { ...credential, apiKey: 'other' }, holder)).toBeUndefined();
		for (const other of [
			{ owner: { ...owner, workflow: 'w2' }, service },
			{ owner, service: 'another' },
		]) {
			expect(openSecret(sealed, credential, other)).toBeUndefined();
		}
		for (const broken of ['', 'AAAA', sealed.slice(4), `${sealed.slice(0, -4)}AAAA`]) {
			expect(openSecret(broken, credential, holder)).toBeUndefined();
		}
	});

	it('is not an id, an address, a hint or the secret that was sent', () => {
		const answer = {
			id: 'whk_1',
			url: 'https://n8n.example/webhook/secret/webhook',
			secret: 'the one that was sent',
			secret_id: 'sec_123456789',
			secret_hint: 'ends with abcd',
			signing_key: 'short',
			hmac_algorithm: 'hmac-sha256-of-the-body',
		};
		expect(findSecret(answer, 'the one that was sent')).toBeUndefined();
	});
});

describe('A secret that anybody could guess', () => {
	it.each(['not shown again after this', '[REDACTED-BY-POLICY]', 'HMAC-SHA256', 'whsec_****'])(
		'is not taken for a secret of the service: %s',
		(secret) => {
			expect(findSecret({ secret }, 'the one that was sent')).toBeUndefined();
		},
	);
});

describe('A keyring', () => {
	/** The parts of a webhook's context that it is made from. */
	function openContext(from = credential) {
		const context: Pick<IWebhookFunctions, 'getCredentials'> = {
			getCredentials: async <T extends object = ICredentialDataDecryptedObject>() => {
				return (await Promise.resolve(from)) as T;
			},
		};
		return context;
	}

	afterEach(() => void forgetSecrets(owner));

	it('accepts the secrets before a change for a day', async () => {
		const changing = { ...credential };
		const context = openContext(changing);
		const read = async (now: number) =>
			(await readKeyring({ context, owner, isManual: false }, now)).secrets;
		const [old] = await read(0);
		// A week without deliveries, then another key
		const change = 7 * 24 * 3_600_000;
		changing.apiKey = 'sk_test_2';
		expect(await read(change)).toContain(old);
		expect(await read(change + 23 * 3_600_000)).toContain(old);
		expect(await read(change + 25 * 3_600_000)).toEqual([expect.not.stringMatching(old ?? '')]);
	});

	it('holds nothing that the API could be called with', async () => {
		const context = openContext();
		const keyring = await readKeyring({ context, owner, isManual: false }, Date.now());
		expect(JSON.stringify(keyring)).not.toContain(credential.apiKey);
	});
});

import { createHmac, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Delivery, Scheme } from '../../nodes/Dossier/trigger/verify.ts';
import { figure } from '../report/figures.ts';
import type { Measured } from '../report/figures.ts';
import type { Bench } from '../harness/stage.ts';

const TITLE = 'Verifying a delivery';
const DESCRIPTION =
	'A delivery of 10 kB with a genuine signature, by the scheme of each preset, without n8n around it.';

const presets = ['headers', 'timestamped', 'standard'] as const;

type Preset = (typeof presets)[number];

const BYTES = 10_000;
const BATCH = 1_000;
const SECRET = randomBytes(32).toString('base64');
const ID = 'evt_4k9d2m';

type Verifier = Pick<
	typeof import('../../nodes/Dossier/trigger/verify.ts'),
	'PRESETS' | 'verifyDelivery'
>;

/** Verifies a delivery of 10 kB, and computes its HMAC alone, which is the least possible work. */
export function verify({ root, quick }: Bench): Promise<Measured> {
	const { PRESETS, verifyDelivery } = builtVerifier(root);
	const demand = (delivery: Delivery) => {
		const verdict = verifyDelivery(delivery);
		if (!verdict.ok) throw new Error(`The delivery was refused: ${verdict.reason}.`);
	};
	const batches = quick ? 5 : 50;
	const schemes = presets.map((name) => {
		const delivery = createDelivery(name, PRESETS[name]);
		return { what: `verified by the preset "${name}"`, work: () => demand(delivery) };
	});
	const rawBody = randomBytes(BYTES);
	const hmac = () => void createHmac('sha256', SECRET).update(rawBody).digest('hex');
	const contenders = [...schemes, { what: 'HMAC-SHA256 alone', work: hmac, bare: true }];
	const times = new Map(contenders.map(({ what }) => [what, new Array<number>()]));
	for (let batch = -1; batch < batches; batch++) {
		for (const { what, work } of contenders) {
			const begin = performance.now();
			for (let n = 0; n < BATCH; n++) work();
			// The first batch warms up.
			if (batch >= 0) times.get(what)?.push(((performance.now() - begin) * 1e3) / BATCH);
		}
	}
	const figures = contenders.map(({ what, ...contender }) =>
		figure(what, 'µs', times.get(what) ?? [], 'bare' in contender ? undefined : { atMost: 60 }),
	);
	return Promise.resolve({
		title: TITLE,
		description: DESCRIPTION,
		amounts: { bytes: BYTES, batches, deliveries_a_batch: BATCH },
		figures,
	});
}

/** The code that n8n runs. */
function builtVerifier(root: string): Verifier {
	const built: unknown = createRequire(import.meta.url)(
		join(root, 'dist/nodes/Dossier/trigger/verify.js'),
	);
	if (isVerifier(built)) return built;
	throw new Error('The package is not built.');
}

function isVerifier(value: unknown): value is Verifier {
	return typeof value === 'object' && value !== null && 'verifyDelivery' in value;
}

/** A genuine delivery, signed as the preset says. */
function createDelivery(preset: Preset, scheme: Scheme): Delivery {
	const now = Date.now();
	const seconds = String(Math.floor(now / 1000));
	const rawBody = Buffer.from(
		JSON.stringify({ event: 'document.uploaded', data: '' }).padEnd(BYTES),
	);
	const head = { headers: '', timestamped: `${seconds}.`, standard: `${ID}.${seconds}.` }[preset];
	const key = scheme.secretAs === 'text' ? SECRET : Buffer.from(SECRET, scheme.secretAs);
	const hmac = createHmac('sha256', key).update(head).update(rawBody);
	const signature = {
		headers: () => `sha256=${hmac.digest('hex')}`,
		timestamped: () => `t=${seconds},v1=${hmac.digest('hex')}`,
		standard: () => `v1,${hmac.digest('base64')}`,
	}[preset]();
	const headers = {
		[scheme.signatureHeader]: signature,
		[scheme.idHeader]: ID,
		[scheme.timestampHeader]: seconds,
	};
	return { rawBody, headers, secrets: [SECRET], scheme, now };
}

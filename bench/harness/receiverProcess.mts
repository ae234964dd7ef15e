import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import axios from 'axios';
import { startGroup } from '../../scripts/process/group.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import type { Bench } from './stage.mts';

/** A server that takes uploads faster than any client sends them. */
interface Receiver {
	/** As a credential takes it. */
	baseUrl: string;
	/** How many bytes have come until now, those of all requests together. */
	received: () => Promise<number>;
	/** How many documents have come until now. */
	documents: () => Promise<number>;
	/** As a credential takes it, for a service that holds that number of dossiers and answers each request after 20 ms. */
	slowUrl: (dossiers: number) => string;
	stop: () => Promise<void>;
}

/** The files of a certificate for this machine, and of its key. */
export interface Certificate {
	key: string;
	cert: string;
}

/** Starts a receiver; it ends with the run, or when it is stopped. With a certificate, it speaks TLS. */
export async function startReceiver(
	{ lifecycle, root }: Bench,
	certificate?: Certificate,
): Promise<Receiver> {
	const { node, env } = await findToolchain(root);
	const address = Promise.withResolvers<string>();
	const group = startGroup(
		lifecycle,
		node,
		[
			join(root, 'bench/harness/receiver.mts'),
			...(certificate ? [certificate.key, certificate.cert] : []),
		],
		{
			cwd: root,
			env,
			graceMs: 1_000,
			onLine: address.resolve,
			channel: true,
		},
	);
	const baseUrl = await Promise.race([address.promise, group.ended]);
	if (typeof baseUrl === 'number') throw new Error(group.tail().join('\n'));
	const httpsAgent = certificate && new Agent({ ca: await readFile(certificate.cert) });
	const count = async () => {
		const options = { proxy: false, httpsAgent } as const;
		return (await axios.get<{ bytes: number; documents: number }>(baseUrl, options)).data;
	};
	return {
		baseUrl,
		received: async () => (await count()).bytes,
		documents: async () => (await count()).documents,
		slowUrl: (dossiers) => baseUrl.replace('/v1', `/${dossiers}/v1`),
		stop: async () => await group.stop(),
	};
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Certificate } from './receiverProcess.mts';

const run = promisify(execFile);

/** Makes a certificate for 127.0.0.1, with OpenSSL. */
export async function makeCertificate(folder: string): Promise<Certificate> {
	const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
	const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
	const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
	await run('openssl', ['req', '-x509', ...made, ...name, '-keyout', key, '-out', cert]);
	return { key, cert };
}

/** How long curl takes to upload a file as a form, in ms. */
export async function timeCurlUpload(url: string, path: string, ca?: string): Promise<number> {
	const form = ['-F', 'category=other', '-F', `file=@${path}`];
	const begin = performance.now();
	await run('curl', ['-sS', '--fail', ...(ca ? ['--cacert', ca] : []), ...form, url]);
	return performance.now() - begin;
}

/** How long curl takes to upload what another curl downloads, in ms. */
export async function timeCurlRelay(from: string, to: string): Promise<number> {
	const command = 'curl -sS --fail "$1" | curl -sS --fail -X POST -T - "$2"';
	const begin = performance.now();
	await run('bash', ['-o', 'pipefail', '-c', command, 'relay', from, to]);
	return performance.now() - begin;
}

/** How long Node.js takes to upload a file and to compute its SHA-256, with nothing else, in ms. */
export async function timePlainUpload(url: string, path: string): Promise<number> {
	const { stdout } = await run(process.execPath, [
		join(import.meta.dirname, 'plainUpload.mts'),
		url,
		path,
	]);
	return Number(stdout);
}

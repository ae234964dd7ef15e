import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import axios from 'axios';
import { useSandbox } from './use-sandbox.mts';
import type { UseOptions } from './use-sandbox.mts';

/** As `useSandbox`, with the pages of its sandbox as a browser without scripts gets them. */
export function usePages(options: UseOptions = {}) {
	const used = useSandbox(options);
	/** Returns answers of every status, and follows no redirect. */
	const browser = axios.create({
		headers: { Accept: 'text/html' },
		validateStatus: () => true,
		maxRedirects: 0,
		responseType: 'text',
		proxy: false,
	});
	beforeEach(() => {
		browser.defaults.baseURL = `${used.sandbox().url}/_sandbox`;
	});
	return {
		...used,
		browser,
		/** The text of a page. Throws if the status is not 200. */
		open: async (path: string, headers: Record<string, string> = {}): Promise<string> => {
			const { status, data } = await browser.get(path, { headers });
			if (status !== 200) throw new Error(`${path} has the status ${status}: ${data}`);
			return data;
		},
		/** Submits a form and returns the answer. Throws if the page does not have the form. */
		submit: async (page: string, action: string, fields: Record<string, string | string[]>) => {
			const { data } = await browser.get(page);
			if (!String(data).includes(`action="/_sandbox${action}"`)) {
				throw new Error(`${page} has no form for ${action}.`);
			}
			const body = new URLSearchParams();
			for (const [name, value] of Object.entries(fields)) {
				for (const one of [value].flat()) body.append(name, one);
			}
			return await browser.post(action, body, {
				headers: { Origin: used.sandbox().url, 'Sec-Fetch-Site': 'same-origin' },
			});
		},
	};
}

/** Texts that become elements, scripts or attributes on a page that does not escape them. */
export const hostile = {
	element: '<img src=x onerror="document.title=1">',
	script: '</title></textarea></pre><script>document.title=1</script>',
	attribute: `" autofocus onfocus="document.title=1" x='`,
};

/** The parts of hostile texts that a page does not escape. */
export function findUnescaped(page: string): string[] {
	const found = page.match(/<img src=x|<script>|" autofocus onfocus=|<svg onload/g);
	return found ?? [];
}

/** The arguments of a curl command, as a shell reads them. */
async function readCommand(command: string): Promise<string[]> {
	const script = `curl() { for one; do printf '%s\\0' "$one"; done; }\n${command}`;
	const { stdout } = await promisify(execFile)('sh', ['-c', script]);
	return stdout.split('\0').slice(0, -1);
}

/** Does what a curl command of a page does when it is pasted into a shell. */
export async function runCurl(command: string): Promise<{ status: number; data: unknown }> {
	const { values, positionals } = parseArgs({
		args: await readCommand(command),
		allowPositionals: true,
		options: {
			method: { type: 'string', short: 'X', default: 'GET' },
			header: { type: 'string', short: 'H', multiple: true, default: [] },
			'data-binary': { type: 'string' },
		},
	});
	const headers = values.header.map((line): [string, string] => {
		const [name = '', ...value] = line.split(': ');
		return [name, value.join(': ')];
	});
	const { status, data } = await axios.request({
		url: positionals[0] ?? '',
		method: values.method,
		headers: Object.fromEntries(headers),
		data: values['data-binary'],
		validateStatus: () => true,
		proxy: false,
	});
	return { status, data };
}

/** The texts that the copy buttons of a page copy, by the names of the buttons. */
export function readCopies(page: string): Map<string, string> {
	const buttons = page.matchAll(/data-copy="([^"]*)" hidden>([^]*?)<\/button>/g);
	return new Map(
		[...buttons].map(([, text = '', label = '']) => [
			label
				.replaceAll(/<[^>]*>|\s+/g, ' ')
				.replaceAll(/ +/g, ' ')
				.trim(),
			decode(text),
		]),
	);
}

function decode(text: string): string {
	return text
		.replaceAll('&quot;', '"')
		.replaceAll('&#39;', "'")
		.replaceAll('&lt;', '<')
		.replaceAll('&gt;', '>')
		.replaceAll('&amp;', '&');
}

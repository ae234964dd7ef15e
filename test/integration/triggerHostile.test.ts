/** What strangers can send to the address of a trigger, through n8n's own body reader: nothing of it makes an execution. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import axios from 'axios';
import { collectGarbage } from './garbage';
import { drawHostile, EVENT, sendRaw } from './hostileRequests';
import type { TriggerHost } from './triggerHost';
import { deliver } from './triggerSender';
import { untilTrue, useTriggers } from './triggers';

const { openManual, log } = useTriggers();

/** Set HOSTILE_REQUESTS for more. */
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 600);
const AT_ONCE = 20;

async function post(host: TriggerHost, body: string | Buffer, headers: Record<string, string>) {
	return await axios.post<unknown>(host.url, body, {
		headers,
		validateStatus: () => true,
		transformRequest: [(data: string) => data],
	});
}

/** Nothing ran, nothing was thrown, and the log has one line for each refusal, with workflow and node. */
function expectNothing(host: TriggerHost, lines: number): void {
	expect([host.begins, host.thrown]).toEqual([0, []]);
	expect(log).toHaveLength(lines);
	for (const line of log) {
		expect(line).toMatch(/^Dossier Trigger ".+" of the workflow ".+" \(.+\) refused a delivery: /);
	}
}

const OCTETS = { 'Content-Type': 'application/octet-stream' };
const FORM = 'multipart/form-data; boundary=x';

describe('A stranger', () => {
	it.each<[string, number, string | Buffer, Record<string, string>]>([
		['multipart', 400, '--x\r\n\r\nx\r\n--x--', { 'Content-Type': FORM }],
		['broken gzip', 400, 'no gzip', { ...OCTETS, 'Content-Encoding': 'gzip' }],
		[
			'gzip that is cut off',
			400,
			gzipSync('x'.repeat(9_999)).subarray(0, 30),
			{ ...OCTETS, 'Content-Encoding': 'gzip' },
		],
		['broken deflate', 400, 'no deflate', { ...OCTETS, 'Content-Encoding': 'deflate' }],
		['17 MB', 413, Buffer.alloc(17 * 1024 * 1024), OCTETS],
		[
			'17 MB in 20 kB of gzip',
			413,
			gzipSync(Buffer.alloc(17 * 1024 * 1024)),
			{ ...OCTETS, 'Content-Encoding': 'gzip' },
		],
		[
			'2 MB in gzip',
			413,
			gzipSync(Buffer.alloc(2 * 1024 * 1024)),
			{ ...OCTETS, 'Content-Encoding': 'gzip' },
		],
		['nothing', 401, '', {}],
		['no JSON', 401, 'no JSON', OCTETS],
		['XML', 401, '<a><b/></a>', { 'Content-Type': 'application/xml' }],
		[
			'100 headers',
			401,
			'{}',
			Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`X-${n}`, 'x'.repeat(50)])),
		],
	])('who sends %s gets %d, and starts nothing', async (_, status, body, headers) => {
		const host = await openManual();
		expect((await post(host, body, headers)).status).toBe(status);
		expectNothing(host, 1);
	});

	it('gets 401 if the credential was deleted, or if an expression in the form fails', async () => {
		const deleted = await openManual(
			{},
			{
				onCredential: () => {
					throw new Error('Credential with ID "1" does not exist for type "dossierApi".');
				},
			},
		);
		expect((await deliver(deleted, '{}')).status).toBe(401);
		const broken = await openManual(
			{ registration: '={{ $("Nowhere").item.json.x }}', events: ['*'] },
			{ workflowId: 'broken' },
		);
		expect((await post(broken, '{}', {})).status).toBe(401);
		expectNothing(deleted, 2);
		expect(broken.thrown).toEqual([]);
	});

	it('who hangs up in the middle of a body starts nothing, and does not make n8n wait', async () => {
		const host = await openManual();
		const { hostname, port, pathname } = new URL(host.url);
		for (const encoding of ['identity', 'gzip', 'deflate']) {
			const socket = connect(Number(port), hostname);
			const head = [
				`POST ${pathname} HTTP/1.1`,
				`Host: ${hostname}`,
				'Content-Type: application/octet-stream',
				`Content-Encoding: ${encoding}`,
				'Content-Length: 9000',
			];
			socket.write(`${head.join('\r\n')}\r\n\r\n`);
			socket.write(gzipSync('x'.repeat(99_999)).subarray(0, 40), () => socket.destroy());
			const { length } = log;
			await untilTrue(() => log.length > length);
		}
		expectNothing(host, 3);
	});
});

describe(`Of ${REQUESTS} hostile requests`, () => {
	it('none makes an execution, each is answered with 4xx or by n8n before the trigger is asked, and memory does not grow', async () => {
		const host = await openManual();
		const url = new URL(host.url);
		const requests = drawHostile(REQUESTS);
		const statuses = new Map<number | string | undefined, number>();
		const heaps: number[] = [];
		for (let at = 0; at < REQUESTS; at += AT_ONCE) {
			const some = requests.slice(at, at + AT_ONCE);
			for (const status of await Promise.all(some.map(async (one) => await sendRaw(url, one)))) {
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
			}
			if ((at / AT_ONCE) % 10 === 9) {
				collectGarbage();
				heaps.push(process.memoryUsage().heapUsed);
			}
		}
		expect([host.begins, host.thrown]).toEqual([0, []]);
		// 422 and 500 come from n8n, which parses some kinds of content before it asks the trigger.
		const known = new Set<unknown>([undefined, 400, 401, 413, 415, 422, 500]);
		expect([...statuses.keys()].filter((status) => !known.has(status))).toEqual([]);
		for (const status of [400, 401, 413]) expect(statuses.get(status)).toBeGreaterThan(0);
		// The trigger still works.
		expect((await deliver(host, EVENT.toString())).status).toBe(200);
		const quarter = Math.ceil(heaps.length / 4);
		const least = (some: number[]) => Math.min(...some);
		expect(least(heaps.slice(-quarter)) - least(heaps.slice(0, quarter))).toBeLessThan(40e6);
	}, 600_000);
});

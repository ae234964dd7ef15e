/** Check Contract leaves nothing behind, and touches nothing of others, whatever a service answers. */
import { answering, answerJson, shortenPauses } from '../fakeService.mts';
import type { Handler } from '../fakeService.mts';
import { runDossier } from '../n8n.mts';
import { usePlainService } from '../plainService.mts';
import { speaking } from '../requests.mts';
import { untilTrue } from '../triggers.mts';
import { CHECK, check, JSON_ONLY } from './checking.mts';

shortenPauses();

const { service: plain } = usePlainService();

/** The handler of a request, as long as a test does not replace it. */
const usual = (route: string): Handler => {
	const handler = plain.handlers[route];
	if (!handler) throw new Error(`There is no ${route}`);
	return handler;
};

/** Does the work and answers otherwise. */
const butAnswer =
	(handler: Handler, answer: Handler): Handler =>
	async (request, response, asked) => {
		const nowhere = Object.create(response, {
			writeHead: { value: () => ({ end: () => undefined }) },
		});
		await handler(request, nowhere as typeof response, asked);
		await answer(request, response, asked);
	};

const hangUp: Handler = ({ socket }) => socket.destroy();

const STEPS = [
	'POST /v1/dossiers',
	'GET /v1/dossiers/{id}',
	'POST /v1/dossiers/{id}/documents',
	'GET /v1/documents/{id}',
	'GET /v1/documents/{id}/download',
	'GET /v1/dossiers/{id}/documents',
];

const FAILURES: Array<[how: string, answer: Handler]> = [
	['a failure', answering(500, 'Broken')],
	['a web page', answering(200, '<html>Sign in</html>', { 'Content-Type': 'text/html' })],
	['a closed connection', hangUp],
	['nothing about what was asked for', (_, response) => answerJson(response, 200, { ok: true })],
];

describe.each(STEPS)('After %s', (route) => {
	it.each(FAILURES)('is answered with %s, nothing is left', async (_, answer) => {
		let count = 0;
		const handler = usual(route);
		// A reading works again at the end: nobody can remove what no answer shows.
		plain.handlers[route] = (...given) =>
			count++ < 3 ? butAnswer(handler, answer)(...given) : handler(...given);
		const { left, whole } = await check(plain.credential);
		expect(count).toBeGreaterThan(0);
		expect(left).toEqual([]);
		expect(plain.dossiers.size).toBe(0);
		expect(plain.requests.length).toBeLessThanOrEqual(40);
		expect(whole).toMatch(/"result":"(differs|refused|no answer)"/);
	});
});

it('names what it cannot remove', async () => {
	plain.handlers['DELETE /v1/dossiers/{id}'] = answering(500, 'Broken');
	const { left, page } = await check(plain.credential);
	const [id = ''] = plain.dossiers.keys();
	expect(left).toEqual([`dossier ${id}`]);
	expect(page).toContain(`**Delete by hand what is left: dossier ${id}**`);
	expect(plain.requests.length).toBeLessThanOrEqual(40);
});

it('names what it may have made if no answer shows that', async () => {
	plain.handlers['POST /v1/dossiers'] = hangUp;
	const { left } = await check(plain.credential);
	expect(left).toEqual([
		expect.stringMatching(/^perhaps a dossier with the title check-[0-9a-f]{8}$/),
	]);
});

it('removes no record of another that the answer to a creation names', async () => {
	plain.dossiers.set('dos_other', { id: 'dos_other', title: 'Of another' });
	const create = usual('POST /v1/dossiers');
	plain.handlers['POST /v1/dossiers'] = butAnswer(create, (_, response) =>
		answerJson(response, 201, { id: 'dos_other' }),
	);
	const { left } = await check(plain.credential);
	expect(left).toEqual([]);
	expect([...plain.dossiers.keys()]).toEqual(['dos_other']);
});

it('removes everything if the service wants to be told the version of what it removes', async () => {
	for (const route of ['DELETE /v1/dossiers/{id}', 'DELETE /v1/documents/{id}']) {
		const remove = usual(route);
		plain.handlers[route] = (request, response, asked) =>
			request.headers['if-match'] === '"7"'
				? remove(request, response, asked)
				: answerJson(response, 428, {});
	}
	for (const route of ['GET /v1/dossiers/{id}', 'GET /v1/documents/{id}']) {
		const read = usual(route);
		plain.handlers[route] = (request, response, asked) =>
			read(request, response.setHeader('ETag', '"7"'), asked);
	}
	expect((await check(plain.credential)).left).toEqual([]);
	expect([plain.dossiers.size, plain.documents.size]).toEqual([0, 0]);
});

it('removes what it made if the execution is cancelled', async () => {
	let tellUpload: () => void = () => undefined;
	const cancelWhen = new Promise<void>((resolve) => (tellUpload = resolve));
	const upload = usual('POST /v1/dossiers/{id}/documents');
	plain.handlers['POST /v1/dossiers/{id}/documents'] = (...given) => {
		tellUpload();
		return upload(...given);
	};
	const { credential } = plain;
	const { error } = await runDossier({
		parameters: CHECK,
		credential: { ...credential, ...speaking(JSON_ONLY) },
		cancelWhen,
	});
	expect(error).toBeDefined();
	// n8n does not wait for a cancelled node.
	await untilTrue(() => plain.requests.some((one) => one.startsWith('DELETE /v1/dossiers')));
	await untilTrue(() => plain.dossiers.size === 0);
});

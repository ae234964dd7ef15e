/** Document: Synchronise, in runs and connections that break off. */
import { ServerResponse } from 'node:http';
import { shortenPauses } from './fakeService';
import { exactly, files, synchronise, tell, useSynchronised } from './synchronising';

shortenPauses();

const { service, run, contents, has } = useSynchronised();

// No buffer of the system takes so much of it that the connection breaks only afterwards
const large = 'x'.repeat(8_000_000);
const sizes = () => [...service.documents.values()].map(({ content }) => content.length);

it('leaves the whole file alone in the dossier, with the next run, if a part of it was stored', async () => {
	service.habits.cutUploads = [300_000];
	const items = files('dos_1', { 'a.bin': large });
	const first = await run(synchronise(), items);
	expect(tell(first.items)).toEqual([['a.bin', 'uploaded']]);
	expect(sizes()).toEqual([expect.any(Number), large.length]);
	const second = await run(synchronise(), items);
	expect(tell(second.items)).toEqual([['a.bin', 'replaced']]);
	expect(contents()).toEqual([['a.bin', large]]);
});

it('does not take for a file that broke off the document of another one, or one that was there', async () => {
	service.habits.nameFile = (name) => name.replace(/[ -]/g, '_');
	// What is there is as long, so that only its content tells it apart
	has('a_b.txt', large.replace('x', 'y'));
	service.habits.cutUploads = [undefined, 300_000];
	const items = files('dos_1', { 'a b.txt': large, 'a-b.txt': large });
	const parameters = synchronise({ options: { concurrentRequests: 1 } });
	const { items: given, error } = await run(parameters, items);
	expect(error).toBeUndefined();
	expect(new Set(given.map(({ json }) => json.id)).size).toBe(given.length);
	const whole = contents().filter(([, text]) => text === large);
	expect(whole).toHaveLength(2);
});

// As if n8n were killed: the run ends at one of its seven writes, which was carried out or was not.
const breaks = [1, 2, 3, 4, 5, 6, 7].flatMap((write) =>
	[false, true].map((isDone) => ({ write, isDone })),
);

it.each(breaks)(
	'is completed by the next run if it ends at write $write, carried out: $isDone',
	async (broken) => {
		has('a.txt', 'old');
		has('b.txt', 'old');
		has('gone.txt', 'gone');
		has('gone too.txt', 'gone');
		const items = files('dos_1', { 'a.txt': 'new', 'b.txt': 'newer', 'c.txt': 'c' });
		const { handlers } = service;
		const whole = { ...handlers };
		let left = broken.write;
		const cancelWhen = new Promise<void>((cancel) => {
			for (const [route, handler] of Object.entries(whole)) {
				if (route.startsWith('GET')) continue;
				handlers[route] = async (request, response, asked) => {
					if (--left > 0) return await handler(request, response, asked);
					// What is written to a response without a connection reaches nobody.
					if (left === 0 && broken.isDone)
						await handler(request, new ServerResponse(request), asked);
					cancel();
					return request.socket.destroy();
				};
			}
		});
		const parameters = exactly(2, { options: { concurrentRequests: 1 } });
		await run(parameters, items, { cancelWhen }).catch(() => undefined);
		expect(left).toBeLessThanOrEqual(0);
		Object.assign(handlers, whole);

		const { error } = await run(parameters, items);
		expect(error).toBeUndefined();
		expect(contents()).toEqual([
			['a.txt', 'new'],
			['b.txt', 'newer'],
			['c.txt', 'c'],
		]);
		const third = await run(parameters, items);
		expect(third.items.map(({ json }) => json.action)).toEqual(Array(3).fill('unchanged'));
	},
);

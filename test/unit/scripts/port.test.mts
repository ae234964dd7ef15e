import * as crypto from 'node:crypto';
import { createServer } from 'node:net';
import { choosePort } from '../../../scripts/process/port.mts';

it('chooses no port twice, whichever process draws it again', async () => {
	const port = await choosePort();
	jest.spyOn(crypto, 'randomInt').mockImplementationOnce(() => port);
	expect(await choosePort()).not.toBe(port);
});

it('takes another port if the preferred one is in use, and leaves the chosen one free', async () => {
	const port = await choosePort();
	expect(await choosePort(port)).toBe(port);
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
	expect(await choosePort(port)).not.toBe(port);
	server.close();
});

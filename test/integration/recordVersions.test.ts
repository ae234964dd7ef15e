/** Changes at a service that refuses them unless the request names the version of the record. */
import type { INodeParameters } from 'n8n-workflow';
import { answerJson } from './fakeService';
import type { Handler } from './fakeService';
import { usePlainService } from './plainService';
import { byId } from './service';

const { service, run } = usePlainService();

const change = (operation: string, parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'dossier',
	operation,
	dossierId: byId('dos_1'),
	...parameters,
});

const stored = () => service.dossiers.get('dos_1') ?? {};

describe('A service that changes a dossier only in the version that the request names', () => {
	let version = 1;
	/** What another program does right after the node has read the dossier. */
	let meanwhile: (() => void) | undefined;

	const guard =
		(next: Handler): Handler =>
		(request, response, asked) => {
			const { 'if-match': named } = request.headers;
			if (!named) return answerJson(response, 428, { error: { message: 'If-Match is required' } });
			if (named !== `"${version}"`)
				return answerJson(response, 412, { error: { message: 'It has another version' } });
			version++;
			return next(request, response, asked);
		};

	beforeEach(() => {
		version = 1;
		meanwhile = undefined;
		service.dossiers.set('dos_1', { id: 'dos_1', title: 'Old', description: 'Long text' });
		service.handlers['GET /v1/dossiers/{id}'] = (_, response) => {
			response.setHeader('ETag', `"${version}"`);
			answerJson(response, 200, stored());
			meanwhile?.();
			meanwhile = undefined;
		};
		for (const name of ['PUT /v1/dossiers/{id}', 'DELETE /v1/dossiers/{id}'])
			service.handlers[name] = guard(service.handlers[name] as Handler);
	});

	it('gets the version that was read, for each change', async () => {
		const items = [{ json: { title: 'New' } }, { json: { title: 'Newer' } }];
		const parameters = change('update', { fields: { title: '={{ $json.title }}' } });
		expect((await run(parameters, { items })).error).toBeUndefined();
		expect(stored()).toMatchObject({ title: 'Newer', description: 'Long text' });
		expect((await run(change('delete'))).error).toBeUndefined();
		expect(stored()).toEqual({});
		expect(version).toBe(4);
	});

	it('keeps what somebody else has changed since', async () => {
		meanwhile = () => {
			version++;
			service.dossiers.set('dos_1', { ...stored(), title: 'Of another' });
		};
		const { error } = await run(change('update', { fields: { description: 'New' } }));
		expect(error?.description).toContain('Someone has changed it since it was read');
		expect(stored()).toMatchObject({ title: 'Of another', description: 'Long text' });
	});
});

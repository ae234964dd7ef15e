import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { mapConnectionError } from '../../nodes/Dossier/api/failures';
import { mayRetry } from '../../nodes/Dossier/api/retry';

const upload = endpoints['documents.upload'];
const broken = (code: string) =>
	mapConnectionError(Object.assign(new Error(code), { code }), 'api.example', upload.method);

describe('An upload whose connection breaks', () => {
	it.each(['ECONNREFUSED', 'EPIPE'])(
		'is sent again if the service cannot have had all of it (%s)',
		(code) => {
			expect(mayRetry(upload, broken(code), 1, false)).toBe(true);
			expect(mayRetry(upload, broken(code), 4, false)).toBe(false);
		},
	);

	it('is not sent again if the service may have had it', () => {
		const outcome = broken('ECONNRESET');
		expect(mayRetry(upload, outcome, 1, false)).toBe(false);
		expect(outcome.facts).toMatchObject({ mayBeDone: true });
	});
});

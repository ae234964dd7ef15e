import { nudgeScavenger } from '../../nodes/Dossier/api/scavenger';

afterEach(() => {
	jest.restoreAllMocks();
});

it.each([1_448, 16_384, 65_536, 196_608])(
	'costs the same for a file in pieces of %i bytes as for one in large pieces',
	(piece) => {
		const allocate = jest.spyOn(globalThis, 'Array');
		for (let passed = 0; passed < 100 * 1024 ** 2; passed += piece) nudgeScavenger(piece);
		// One array for 20 kB
		expect(Math.abs(allocate.mock.calls.length - 5_120)).toBeLessThan(20);
	},
);

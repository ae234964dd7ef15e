import { availableParallelism } from 'node:os';

const swc = [
	'@swc/jest',
	{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
];

const inN8n = ['<rootDir>/test/integration/environment.mts'];
const inProcesses = ['<rootDir>/test/live/connections.mts'];

const suite = (displayName, folder, timeoutSeconds, setupFilesAfterEnv = []) => ({
	setupFilesAfterEnv: ['<rootDir>/test/timeout.mts', ...setupFilesAfterEnv],
	globals: { TIMEOUT_SECONDS: timeoutSeconds },
	displayName,
	testMatch: [`<rootDir>/${folder}/**/*.test.mts`],
	testEnvironment: 'node',
	transform: { '^.+\\.[mc]?[jt]s$': swc },
	// jest runs everything as CommonJS, so packages that are ES modules only are translated.
	transformIgnorePatterns: ['/node_modules/(?!(content-disposition|p-wait-for|pretty-bytes)/)'],
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/hosts/', '<rootDir>/.cache/'],
});

export default {
	// Half as many again as processors, because some tests wait for a silent service or another process.
	maxWorkers: Math.ceil(availableParallelism() * 1.5),
	testSequencer: '<rootDir>/test/slowFirst.mjs',
	projects: [
		suite('sandbox', 'sandbox/test', 60),
		suite('unit', 'test/unit', 10),
		suite('integration', 'test/integration', 60, inN8n),
		suite('services', 'test/services', 60, inN8n),
		suite('table', 'test/table', 60, inN8n),
		suite('live', 'test/live', 300, inProcesses),
		suite('queue', 'test/queue', 300, inProcesses),
	],
};

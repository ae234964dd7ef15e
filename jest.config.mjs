const swc = [
	'@swc/jest',
	{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
];

const suite = (displayName, testMatch, setupFilesAfterEnv = []) => ({
	setupFilesAfterEnv,
	displayName,
	testMatch,
	testEnvironment: 'node',
	transform: { '^.+\\.[mc]?[jt]s$': swc },
	// jest runs everything as CommonJS, so packages that are ES modules only are translated.
	transformIgnorePatterns: ['/node_modules/(?!(content-disposition|get-port|pretty-bytes)/)'],
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/hosts/', '<rootDir>/.cache/'],
});

export default {
	testSequencer: '<rootDir>/test/longestFirst.mjs',
	testTimeout: 300_000,
	projects: [
		suite('sandbox', ['<rootDir>/sandbox/test/**/*.test.ts']),
		suite('unit', ['<rootDir>/test/unit/**/*.test.ts']),
		suite(
			'integration',
			['<rootDir>/test/integration/**/*.test.ts'],
			['<rootDir>/test/integration/environment.ts'],
		),
		suite(
			'dialects',
			['<rootDir>/test/dialects/**/*.test.ts'],
			['<rootDir>/test/integration/environment.ts'],
		),
		suite('live', ['<rootDir>/test/live/**/*.test.ts']),
		suite('queue', ['<rootDir>/test/queue/**/*.test.ts']),
	],
};

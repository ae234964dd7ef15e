const swc = [
	'@swc/jest',
	{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
];

const suite = (displayName, testMatch) => ({
	displayName,
	testMatch,
	testEnvironment: 'node',
	transform: { '^.+\\.[mc]?ts$': swc },
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/hosts/', '<rootDir>/.cache/'],
});

export default {
	testTimeout: 60_000,
	projects: [
		suite('sandbox', ['<rootDir>/sandbox/test/**/*.test.ts']),
		suite('unit', ['<rootDir>/test/unit/**/*.test.ts']),
		suite('integration', ['<rootDir>/test/integration/**/*.test.ts']),
		suite('live', ['<rootDir>/test/live/**/*.test.ts']),
	],
};

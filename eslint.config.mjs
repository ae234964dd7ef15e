import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

/** The part that n8n reviews: both of its plugins apply, and no comment turns a rule off. */
const published = ['nodes/**/*.ts', 'credentials/**/*.ts'];

const nodesBase = (name, files, off) => ({
	files,
	plugins: { 'n8n-nodes-base': n8nNodesBase },
	rules: {
		...n8nNodesBase.configs[name].rules,
		...Object.fromEntries(off.map((rule) => [`n8n-nodes-base/${rule}`, 'off'])),
	},
});

export default tseslint.config(
	{
		ignores: [
			'**/node_modules/',
			'**/dist/',
			'coverage/',
			'.cache/',
			'contract/generated/',
			'hosts/',
		],
	},
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommendedTypeChecked],
		languageOptions: {
			parserOptions: { project: './tsconfig.tools.json', tsconfigRootDir: import.meta.dirname },
		},
		linterOptions: { reportUnusedDisableDirectives: 'error' },
		rules: {
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ varsIgnorePattern: '^_', argsIgnorePattern: '^_' },
			],
			'@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
		},
	},
	// Answers over HTTP and jest's matchers (such as expect.any) are typed any, and tests use them as they are
	{
		files: ['test/**/*.ts', 'sandbox/test/**/*.ts'],
		rules: {
			'@typescript-eslint/no-unsafe-argument': 'off',
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-call': 'off',
			'@typescript-eslint/no-unsafe-member-access': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
		},
	},
	{
		...n8nCommunityNodesPlugin.configs.recommended,
		files: [...published, 'package.json'],
	},
	{ files: published, linterOptions: { noInlineConfig: true } },
	nodesBase(
		'nodes',
		['nodes/**/*.ts'],
		[
			// These two require the text 'main'; the other plugin requires the constant
			'node-class-description-inputs-wrong-regular-node',
			'node-class-description-outputs-wrong',
		],
	),
	nodesBase(
		'credentials',
		['credentials/**/*.ts'],
		[
			// Meant for n8n's own credentials: a community package gives a full address
			'cred-class-field-documentation-url-miscased',
		],
	),
	{
		files: ['package.json'],
		extends: [tseslint.configs.base, tseslint.configs.disableTypeChecked],
	},
	// Complexity counts every ??, ?. and default value, too.
	{ files: ['**/*.ts'], rules: { 'max-lines': ['error', 250], complexity: ['error', 20] } },
	// A test file is a list of cases.
	{ files: ['**/*.test.ts'], rules: { 'max-lines': ['error', 350] } },
	// A database schema is read as a whole.
	{ files: ['sandbox/src/database/schema.ts'], rules: { 'max-lines': 'off' } },
);

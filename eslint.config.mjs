import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { parser } from 'typescript-eslint';

/** The part that n8n reviews: both of its plugins apply, and no comment turns a rule off. oxlint checks the rest of the rules. */
const published = ['nodes/**/*.ts', 'credentials/**/*.ts'];

const nodesBase = (name, files, off) => ({
	files,
	plugins: { 'n8n-nodes-base': n8nNodesBase },
	rules: {
		...n8nNodesBase.configs[name].rules,
		...Object.fromEntries(off.map((rule) => [`n8n-nodes-base/${rule}`, 'off'])),
	},
});

export default [
	{
		files: [...published, 'package.json'],
		languageOptions: { parser },
		...n8nCommunityNodesPlugin.configs.recommended,
	},
	{
		files: published,
		linterOptions: { noInlineConfig: true },
		rules: {
			'no-warning-comments': ['error', { terms: ['eslint-', 'oxlint-'], location: 'anywhere' }],
		},
	},
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
];

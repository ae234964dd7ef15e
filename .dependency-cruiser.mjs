/**
 * The rooms of each part, from the lowest level to the highest, as patterns of paths below the part's folder. A file imports from its
 * own room and from lower levels; the rooms of one level do not import each other. `test/unit/architecture.test.mts` checks it.
 */
const parts = {
	'nodes/Dossier': [
		['problems/'],
		['dialect/'],
		['api/'],
		['execution/'],
		['resources/', 'trigger/'],
		['[^/]+\\.node\\.ts$'],
	],
	'nodes/Dossier/api': [
		['(clock|credential|endpoints|json|jsonText|memory)\\.ts$'],
		['pace/'],
		['connection\\.ts$'],
		['send/'],
		['pages/', 'transfer/'],
		['client\\.ts$'],
	],
	credentials: [['[^/]+\\.ts$']],
	'sandbox/src': [
		['platform/'],
		['contract/'],
		['database/'],
		['accounts/'],
		['webhooks/'],
		['records/'],
		['portal/', 'requests/'],
		['service\\.mts$'],
		['operations/'],
		['http/'],
		['control/'],
		['client/', 'pages/', 'options\\.mts$'],
		['index\\.mts$'],
		['command-line\\.mts$'],
		['command\\.mts$'],
		['main\\.mts$'],
	],
	scripts: [
		['process/'],
		['host/'],
		['queue/', 'editor/'],
		['docs/', 'intake/'],
		['pictures/'],
		['[^/]+\\.mts$'],
	],
	bench: [['report/'], ['harness/'], ['benchmarks/'], ['run\\.mts$']],
};

/** The other parts that each part imports from. No part imports from `test/`. */
const otherParts = {
	nodes: ['credentials'],
	credentials: [],
	contract: [],
	sandbox: ['contract'],
	scripts: ['nodes', 'credentials', 'contract', 'sandbox/src/client'],
	bench: ['scripts', 'nodes', 'sandbox/src/client'],
};

const roomRules = Object.entries(parts).flatMap(([part, levels]) =>
	levels.flatMap((rooms, level) =>
		rooms.map((room) => ({
			name: `${part}/${room.replaceAll(/\\|\$$/g, '')} imports from lower rooms`,
			severity: 'error',
			from: { path: `^${part}/${room}` },
			to: {
				path: `^${part}/`,
				pathNot: [room, ...levels.slice(0, level).flat()].map((lower) => `^${part}/${lower}`),
			},
		})),
	),
);

const partRules = Object.entries(otherParts).map(([part, others]) => ({
	name: `${part} imports from ${['packages', ...others].join(' and ')} only`,
	severity: 'error',
	from: { path: `^${part}/` },
	to: {
		path: [...Object.keys(otherParts), 'test'].map((other) => `^${other}/`),
		pathNot: [part, ...others].map((own) => `^${own}/`),
	},
}));

export default {
	forbidden: [
		{ name: 'no import cycle', severity: 'error', from: {}, to: { circular: true } },
		...roomRules,
		...partRules,
		{
			name: 'the published package imports n8n-workflow and crypto only',
			severity: 'error',
			from: { path: ['^nodes/', '^credentials/'] },
			to: {
				dependencyTypesNot: ['type-import'],
				pathNot: ['^nodes/', '^credentials/', '/n8n-workflow/', '^crypto$'],
			},
		},
		{
			name: 'each file is in a room',
			severity: 'error',
			from: {
				path: Object.keys(parts).map((part) => `^${part}/`),
				pathNot: Object.entries(parts).flatMap(([part, levels]) =>
					levels.flat().map((room) => `^${part}/${room}`),
				),
			},
			to: {},
		},
		{
			name: 'each file is imported, or is an entry',
			severity: 'error',
			from: {},
			module: {
				path: [...Object.keys(otherParts), 'test'].map((part) => `^${part}/.*\\.m?ts$`),
				pathNot: [
					'\\.(node|credentials|test|d)\\.m?ts$',
					'^contract/',
					'^scripts/[^/]+$',
					'^bench/run\\.mts$',
					// Started as processes of their own
					'^bench/harness/(plainUpload|receiver)\\.mts$',
					'^sandbox/(src/main|build)\\.mts$',
					'^test/(timeout|integration/environment|live/connections)\\.mts$',
				],
				numberOfDependentsLessThan: 1,
			},
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		// Imports of types count, too.
		tsPreCompilationDeps: true,
		tsConfig: { fileName: `${import.meta.dirname}/tsconfig.json` },
	},
};

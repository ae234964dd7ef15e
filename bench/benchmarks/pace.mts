import { readItems } from '../../scripts/host/executions.mts';
import { figure } from '../report/figures.mts';
import type { Figure, Measured } from '../report/figures.mts';
import { runSteps } from '../harness/measure.mts';
import { openLimitedService } from '../harness/limitedService.mts';
import { Limiter } from '../harness/limiter.mts';
import type { Rule, Says } from '../harness/limiter.mts';
import { openStage } from '../harness/stage.mts';
import type { Bench, Stage } from '../harness/stage.mts';
import { code, dossierCreate, httpCreate } from '../harness/steps.mts';

interface Service {
	what: string;
	rateLimit: 'business' | 'off';
	rule?: Rule;
	says: Says;
}

const SECOND = 1_000;
const BUCKET: Rule = { kind: 'bucket', limit: 20, length: 2 * SECOND };

const SERVICES: Service[] = [
	{
		what: '50 in fixed 10 s, says nothing',
		rateLimit: 'off',
		rule: { kind: 'fixed', limit: 50, length: 10 * SECOND },
		says: 'nothing',
	},
	{
		what: '20 in sliding 2 s, Remaining',
		rateLimit: 'off',
		rule: { kind: 'sliding', limit: 20, length: 2 * SECOND },
		says: 'remaining',
	},
	{ what: 'bucket, 10 a second, Remaining', rateLimit: 'off', rule: BUCKET, says: 'remaining' },
	{ what: 'bucket, 10 a second, says nothing', rateLimit: 'off', rule: BUCKET, says: 'nothing' },
	{
		what: '100 in fixed 60 s, Remaining',
		rateLimit: 'off',
		rule: { kind: 'fixed', limit: 100, length: 60 * SECOND },
		says: 'remaining',
	},
	{ what: 'no limit', rateLimit: 'off', says: 'nothing' },
	{
		what: 'Business chosen, 100 in sliding 60 s, Remaining',
		rateLimit: 'business',
		rule: { kind: 'sliding', limit: 100, length: 60 * SECOND },
		says: 'remaining',
	},
	{
		what: 'Business chosen, 100 in fixed 60 s, says all',
		rateLimit: 'business',
		rule: { kind: 'fixed', limit: 100, length: 60 * SECOND },
		says: 'all',
	},
];

const CONTENDERS = [
	['Dossier', dossierCreate],
	['HTTP Request', httpCreate],
] as const;

const ITEMS = 150;

/** How long a client takes that knows the rule and needs no time for an answer, in ms. */
function findShortest(rule: Rule | undefined, begun: number): number {
	if (!rule) return 0;
	const limiter = new Limiter(rule);
	let now = begun;
	for (let n = 0; n < ITEMS; n++) {
		for (let wait = limiter.wait(now); wait > 0; wait = limiter.wait(now)) now += wait;
		limiter.take(now);
	}
	return now - begun;
}

async function create(
	bench: Bench,
	stage: Stage,
	{ what, rateLimit, rule, says }: Service,
	[name, makeStep]: (typeof CONTENDERS)[number],
): Promise<Figure[]> {
	const { origin, pathname } = new URL(stage.sandbox.baseUrl);
	const service = await openLimitedService(origin, rule, says);
	const base = service.origin + pathname;
	const member = await stage.member('enterprise', rateLimit, base);
	const program = `return Array.from({ length: ${ITEMS} }, (_, n) => ({ json: { title: 'Dossier ' + n } }));`;
	const step = { ...makeStep('Create', member, base), onError: 'continueRegularOutput' as const };
	const execution = await runSteps(bench, stage, [code(program), step]);
	service.close();
	const { seen } = service;
	if (readItems(execution, 'Create').length !== ITEMS)
		throw new Error('Some items were not given out.');
	const begun = seen[0]?.at ?? 0;
	const took = (seen.at(-1)?.at ?? 0) - begun;
	const shortest = findShortest(rule, begun);
	const refused = seen.filter(({ isRefused }) => isRefused).length;
	const own = name === 'Dossier';
	const label = `${what}: ${name}`;
	const created = seen.length - refused;
	return [
		figure(`${label}, created`, '', [created], own ? { atLeast: ITEMS } : undefined),
		figure(
			`${label}, refused`,
			'%',
			[(100 * refused) / seen.length],
			own ? { atMost: 5 } : undefined,
		),
		figure(`${label}, time`, 's', [took / SECOND]),
		...(shortest > 0 && created >= ITEMS
			? [
					figure(
						`${label}, beside the shortest`,
						'×',
						[took / shortest],
						own ? { atMost: 1.3 } : undefined,
					),
				]
			: []),
	];
}

/** Creates dossiers at services that limit in different ways, in real time. */
export async function pace(bench: Bench): Promise<Measured> {
	const stage = await openStage(bench);
	const figures: Figure[] = [];
	for (const service of bench.quick ? SERVICES.slice(1, 3) : SERVICES) {
		for (const contender of CONTENDERS) {
			figures.push(...(await create(bench, stage, service, contender)));
		}
	}
	await stage.close();
	return {
		title: 'Creating dossiers at services that limit requests',
		description:
			'150 dossiers, once per service, in real time. Unless a plan is named, Rate Limit is Off. The shortest time is that of a client that knows the rule. HTTP Request sends as fast as it can and does not send a refused request again.',
		amounts: { items: ITEMS },
		figures,
	};
}

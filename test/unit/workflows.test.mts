/** The workflows on GitHub run only pinned actions, with no more permissions than they need. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(__dirname, '../..');

interface Job {
	permissions?: Record<string, string>;
	steps: Array<{ uses?: string; run?: string }>;
}

interface Workflow {
	on: Record<string, unknown>;
	permissions?: Record<string, string>;
	jobs: Record<string, Job>;
}

const texts = globSync('.github/{*,workflows/*}.yml', { cwd: root }).map(
	(path): [string, string] => [path, readFileSync(join(root, path), 'utf8')],
);
const workflow = (name: string) =>
	parse(readFileSync(join(root, '.github/workflows', name), 'utf8')) as Workflow;

it.each(texts)('%s pins every action to a commit, with the version in a comment', (_, text) => {
	const uses = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line));
	const pinned = /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
	expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
});

it('all uses of one action are pinned to the same commit', () => {
	const all = texts.flatMap(([, text]) => [...text.matchAll(/uses: (.+)@(.+)$/gm)]);
	const commits = new Map(all.map(([, action, commit]) => [action, commit]));
	expect(all.filter(([, action, commit]) => commits.get(action) !== commit)).toEqual([]);
});

it('every workflow limits its token to reading', () => {
	for (const name of ['ci.yml', 'pages.yml', 'publish.yml', 'publish-sandbox.yml']) {
		expect([{}, { contents: 'read' }]).toContainEqual(workflow(name).permissions);
	}
});

it('no workflow gives a secret or permissions of the repository to code of strangers', () => {
	for (const [, text] of texts) {
		expect(text).not.toMatch(/pull_request_target|secrets\.(?!NPM_FIRST_TOKEN \}\}$)/m);
		// Only the job that publishes may use one, since it runs no code of dependencies
		expect(text.split('\n  publish:\n')[0]).not.toContain('secrets.');
	}
});

describe.each([
	['publish.yml', 'v*'],
	['publish-sandbox.yml', 'sandbox-v*'],
])('Publishing by %s', (name, tag) => {
	const { on, jobs } = workflow(name);
	const commands = (job: Job | undefined) => (job?.steps ?? []).flatMap(({ run }) => run ?? []);

	it('starts only with a version tag of its own', () => {
		expect(on).toEqual({ push: { tags: [tag] } });
	});

	it('compares the tag with the version and runs the tests before it packs', () => {
		const steps = commands(jobs.package);
		const find = (word: string) => steps.findIndex((command) => command.includes(word));
		expect(find('GITHUB_REF_NAME')).toBeGreaterThanOrEqual(0);
		expect(find('npm test')).toBeGreaterThan(find('GITHUB_REF_NAME'));
		expect(find('npm pack')).toBeGreaterThan(find('npm test'));
	});

	it('runs the code of dependencies only in a job that cannot publish', () => {
		expect(jobs.package?.permissions).toEqual({ contents: 'read' });
		expect(jobs.publish?.permissions).toEqual({ 'id-token': 'write' });
		expect(commands(jobs.publish).filter((one) => /npm (ci|test|run)/.test(one))).toEqual([]);
		expect(commands(jobs.publish).at(-1)).toMatch(/--provenance --access public$/);
	});
});

it('the image of the sandbox is published only after its health check, by a job that cannot publish npm packages', () => {
	const { image } = workflow('publish-sandbox.yml').jobs;
	expect(image?.permissions).toEqual({ contents: 'read', packages: 'write' });
	const order = (image?.steps ?? []).flatMap(
		({ run }) => /docker build|Health\.Status|docker push/.exec(run ?? '') ?? [],
	);
	expect(order).toEqual(['docker build', 'Health.Status', 'docker push']);
});

describe('The form of an issue', () => {
	interface Form {
		name: string;
		description: string;
		body: Array<{ type: string; id?: string; attributes: { label?: string } }>;
	}
	const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).filter(
		(path) => !path.endsWith('config.yml'),
	);

	it.each(forms)('has what GitHub requires: %s', (path) => {
		const form = parse(readFileSync(join(root, path), 'utf8')) as Form;
		expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
		const asked = form.body.filter(({ type }) => type !== 'markdown');
		expect(asked.length).toBeGreaterThan(0);
		for (const { attributes } of asked) expect(attributes.label).toEqual(expect.any(String));
		expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
	});
});

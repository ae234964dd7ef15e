import { access } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { PlainError } from './plainError.mts';

/** The Node 24 that this package installs. n8n and the sandbox run on it, whatever Node the machine has. */
export interface Toolchain {
	/** The checkout. */
	root: string;
	/** The executable. */
	node: string;
	/** The folder with its headers, for building native modules. It may be missing: `npm install` can prune it. */
	headers: string;
	/** The command and first arguments that run npm. */
	npm: string[];
	/** The environment for npm and for what it builds. */
	env: NodeJS.ProcessEnv;
}

/** Finds npm, and the Node 24 of the `node` package below `root`. Throws a PlainError if that is not installed. */
export async function findToolchain(root: string): Promise<Toolchain> {
	if (process.platform === 'win32') {
		throw new PlainError('This runs on Linux and macOS. On Windows, run it inside WSL.');
	}
	const node = join(root, 'node_modules/node/bin/node');
	try {
		await access(node);
	} catch {
		throw new PlainError(`Node 24 is missing at ${node}. Run "npm ci", then try again.`);
	}
	const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
	const headers = join(
		root,
		'node_modules/node/node_modules',
		`${prefix}-${process.platform}-${process.arch}`,
	);
	const npmCli = process.env.npm_execpath;
	return {
		root,
		node,
		headers,
		npm: npmCli && basename(npmCli) === 'npm-cli.js' ? [node, npmCli] : ['npm'],
		env: {
			...withoutNpmSettings(process.env),
			PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter),
			// node-gyp 10 and later reads the first, older versions (sqlite3 brings one) the second. Without them it downloads from nodejs.org.
			npm_package_config_node_gyp_nodedir: headers,
			npm_config_nodedir: headers,
		},
	};
}

/** npm passes its own settings and the package's fields to its scripts. A nested npm must read its own. */
function withoutNpmSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(env).filter(
			([name]) => !/^npm_(package|lifecycle|command|config_local_prefix)/.test(name),
		),
	);
}

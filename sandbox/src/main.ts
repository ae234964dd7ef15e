#!/usr/bin/env node
import process from 'node:process';

/** Starts the command. An older Node.js fails while it loads what is loaded here. */
async function start(): Promise<void> {
	const { enableCompileCache } = await import('node:module');
	// Node.js keeps the code that it has compiled, and each start but the first takes two thirds of the time.
	enableCompileCache();
	await import('./command.ts');
}

const { node } = process.versions;
const [major = 0, minor = 0] = node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 16)) {
	console.error(`The sandbox needs Node.js 22.16 or newer. This is Node.js ${node}.`);
	process.exitCode = 1;
} else {
	void start();
}

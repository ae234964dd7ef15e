#!/usr/bin/env node
import process from 'node:process';

async function start(): Promise<void> {
	try {
		await import('./platform/require-node.mts');
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
		return;
	}
	const { enableCompileCache } = await import('node:module');
	// Node.js keeps the code that it has compiled, and each start but the first takes two thirds of the time.
	enableCompileCache();
	await import('./command.mts');
}

void start();

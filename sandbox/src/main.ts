#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Node.js keeps the code that it has compiled, and each start but the first takes two thirds of the time.
enableCompileCache();
await import('./command.ts');

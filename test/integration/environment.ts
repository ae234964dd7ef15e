/** Keeps n8n's engine quiet, and out of the home folder of whoever runs the tests. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.env.N8N_LOG_LEVEL = 'silent';
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'n8n-user-'));

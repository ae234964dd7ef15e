/** Silences n8n's log and gives n8n a temporary user folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'n8n-user-'));
process.env.N8N_LOG_LEVEL = 'silent';
process.env.N8N_USER_FOLDER = folder;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

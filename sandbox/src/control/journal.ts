import type { Service } from '../service.ts';
import { readInteger } from './request.ts';
import type { ControlRoutes } from './request.ts';

/** The latest requests with their answers: `GET /journal`, `DELETE /journal`. */
export function addJournalRoutes(routes: ControlRoutes, { journal }: Service): void {
	routes.get('/journal', (context) => {
		const range = { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER };
		const isContinued = context.req.query('after') !== undefined;
		const after = isContinued ? readInteger(context.req, 'after', range) : undefined;
		const limit = readInteger(context.req, 'limit', { fallback: 100, min: 1, max: 500 });
		return context.json({ data: journal.list({ after, limit }) });
	});

	routes.delete('/journal', (context) => {
		journal.clear();
		return context.json({ deleted: true });
	});
}

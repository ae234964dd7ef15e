import type { ListApi } from './pages';
import { toText } from './values';

/** Notes when the service gave its first answer, by its own clock: ISO 8601 in UTC; empty before, the clock of this n8n if it does not tell. */
export function noteServiceTime<Kind extends ListApi>(
	api: Kind,
): { api: Kind; readTime: () => string } {
	let time = '';
	const timed: Kind = {
		...api,
		answer: async (...call: Parameters<ListApi['answer']>) => {
			const answer = await api.answer(...call);
			const told = Date.parse(toText(answer.headers.date) ?? '');
			time ||= new Date(Number.isNaN(told) ? Date.now() : told).toISOString();
			return answer;
		},
	};
	return { api: timed, readTime: () => time };
}

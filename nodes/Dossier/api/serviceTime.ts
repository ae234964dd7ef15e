import type { ListApi } from './pages';
import { toText } from './values';

/**
 * Wraps a connection so that it notes the time of the first answer, by the service's clock, or by this n8n's if the answer
 * has no date. `readTime` gives it as ISO 8601 in UTC; empty before the first answer.
 */
export function noteServiceTime<Kind extends ListApi>(
	api: Kind,
): { api: Kind; readTime: () => string } {
	let time = '';
	const timed: Kind = {
		...api,
		answer: async (...call: Parameters<ListApi['answer']>) => {
			const answer = await api.answer(...call);
			const date = Date.parse(toText(answer.headers.date) ?? '');
			time ||= new Date(Number.isNaN(date) ? Date.now() : date).toISOString();
			return answer;
		},
	};
	return { api: timed, readTime: () => time };
}

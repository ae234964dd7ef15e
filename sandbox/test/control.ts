import axios from 'axios';
import type { Sandbox } from '../src/index.ts';

/** The control API of a sandbox. Every status is an answer, none is thrown. */
export function controlOf({ url }: Pick<Sandbox, 'url'>) {
	const client = axios.create({
		baseURL: `${url}/_sandbox/api`,
		validateStatus: () => true,
		proxy: false,
	});
	return {
		client,
		/** Moves the clock on. */
		move: async (ms: number) => {
			const { status, data } = await client.post('/clock', { ms });
			if (status !== 200) throw new Error(`The clock was not moved: ${JSON.stringify(data)}`);
		},
		/** Waits until everything that is due was sent, and gives how it stands. */
		idle: async () => {
			const { data } = await client.get('/deliveries/idle', { params: { timeout: 30_000 } });
			if (!data.idle) throw new Error(`Deliveries did not come to rest: ${JSON.stringify(data)}`);
			return data;
		},
		deliveries: async (params: Record<string, string> = {}) => {
			const { data } = await client.get('/deliveries', { params: { per_page: 1000, ...params } });
			return data.data;
		},
	};
}

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

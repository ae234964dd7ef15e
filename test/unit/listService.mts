/** Lists that a service answers in its own way, as the connector reads them. */
import type { IDataObject } from 'n8n-workflow';
import { collect } from '../../nodes/Dossier/api/pages/collect';
import type { ListApi } from '../../nodes/Dossier/api/pages/pages';
import { parseAnswer } from '../../nodes/Dossier/api/send/answer';
import { choosePageSize } from '../../nodes/Dossier/dialect/lists';
import type { Dialect } from '../../nodes/Dossier/dialect/schema';
import { toPlain } from '../../nodes/Dossier/dialect/structure';
import { Translator } from '../../nodes/Dossier/dialect/translate';

/** The status and the headers of answers, which a test may change. */
interface Reply {
	statusCode: number;
	headers: IDataObject;
}

/** Gives the body of a page, and may change the rest of the answer. */
export type AnswerPage = (query: IDataObject, reply: Reply) => unknown;

let services = 0;

/** A service whose lists are answered so. */
export function serveList(answerPage: AnswerPage, dialect: Dialect = {}) {
	const host = `${++services}.example`;
	const root = `https://${host}`;
	const translator = new Translator(dialect);
	const asked: IDataObject[] = [];
	const api: ListApi = {
		root,
		pageSize: choosePageSize(translator),
		concurrency: 3,
		translator,
		answer: async (name, { query: sent = {} } = {}) => {
			const spelled = sent['?'];
			const query: IDataObject =
				typeof spelled === 'string' ? Object.fromEntries(new URLSearchParams(spelled)) : sent;
			asked.push(query);
			const reply: Reply = { statusCode: 200, headers: {} };
			const body = Buffer.from(JSON.stringify(answerPage(query, reply)));
			const service = { root, host, access: 'key' as const, translator };
			return await Promise.resolve(parseAnswer(service, name, { ...reply, body }));
		},
	};
	return {
		/** The queries that came. */
		asked,
		/** Reads a list, without what tells where its records come from. */
		read: async (
			query: IDataObject = {},
			limit?: number,
			name: 'dossiers.list' | 'audit.list' = 'dossiers.list',
		) => (await collect(api, name, { query }, limit)).map(toPlain),
	};
}

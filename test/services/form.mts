/** Names in PascalCase, links to the next page in a header, forms for uploads, a signature of its own, addresses registered by hand. */
import { createHmac } from 'node:crypto';
import { startForeign } from './foreign.mts';
import { Refused, refuseUnknown } from './manners.mts';
import type { Manners, Stored } from './manners.mts';

const SECRET = 'a secret that the service shows to a person';

const DIALECT = {
	naming: 'PascalCase',
	times: 'epochMilliseconds',
	list: { style: 'link', size: '$top', sort: '$orderby', order: null },
	dossier: {
		fields: { custom_fields: null, tags: null },
		filters: { reference: 'Reference', status: '$state', q: null },
	},
	document: {
		fields: { id: 'Key', checksum_sha256: 'Digest.Sha256', title: null },
		filters: { file_name: 'Name', category: null },
	},
	task: {
		values: { status: { pending: false, completed: true } },
		filters: { status: null, dossier_id: null },
		days: ['due_at'],
	},
	auditEntry: { filters: { from: null } },
	upload: { format: 'multipart', file: 'Attachment' },
	signature: {
		header: 'X-Seal',
		format: 'ts={timestamp};seal={signature}',
		content: '{timestamp}\n{body}',
		encoding: 'base64',
	},
};

const FIELDS = {
	dossiers: ['Title', 'Reference', 'Status', 'Contact', 'DueAt'],
	documents: ['FileName', 'MimeType', 'Category'],
	tasks: ['Title', 'DossierId', 'Status', 'Priority', 'DueAt'],
};

const FILTERS: Record<string, string[]> = {
	dossiers: ['Reference', '$state'],
	documents: ['Name'],
};
const FILTERED: Record<string, string> = { $state: 'Status', Name: 'FileName' };

const manners: Manners = {
	dialect: DIALECT,
	credential: { webhookSecret: SECRET, tolerance: 300 },
	fields: FIELDS,
	check(kind, _, { DueAt: due }) {
		if (due === undefined) return;
		const isRight =
			kind === 'tasks'
				? typeof due === 'string' && /^\d{4}-\d\d-\d\d$/.test(due)
				: typeof due === 'number';
		if (!isRight) throw new Refused(422, 'Not valid', { Errors: { DueAt: ['is not valid'] } });
	},
	show: (kind, { id, fields, made, dossier, file }) => ({
		[kind === 'documents' ? 'Key' : 'Id']: id,
		...fields,
		CreatedAt: made,
		...(file && { DossierId: dossier, SizeBytes: String(file.length) }),
	}),
	one: (_, shown) => ({ Value: shown }),
	list(kind, records, query) {
		const filters = FILTERS[kind] ?? [];
		refuseUnknown(query.keys(), ['$top', '$orderby', '$skiptoken', ...filters]);
		const isWanted = ({ fields }: Stored) =>
			filters.every((name) => {
				const wanted = query.get(name);
				return wanted === null || fields[FILTERED[name] ?? name] === wanted;
			});
		const found = records.filter(isWanted);
		const sorted = query.get('$orderby')?.startsWith('-') ? found.toReversed() : found;
		const from = Number(query.get('$skiptoken') ?? 0);
		const to = from + Math.min(2, Number(query.get('$top')));
		const Value = sorted.slice(from, to).map((record) => manners.show(kind, record));
		const link = `<https://elsewhere.example/x?$skiptoken=${to}>; rel="next"`;
		return [{ Value }, to < found.length ? { Link: link } : {}];
	},
	async upload(type, body) {
		if (!type.startsWith('multipart/')) throw new Refused(415, 'A form is wanted');
		const headers = { 'Content-Type': type };
		const form = await new Response(new Uint8Array(body), { headers }).formData();
		const file = form.get('Attachment');
		if (!(file instanceof Blob)) throw new Refused(400, 'The form has no Attachment');
		form.delete('Attachment');
		return { fields: Object.fromEntries(form), file: Buffer.from(await file.arrayBuffer()) };
	},
	describeEntry: (event, { id }) => ({
		Action: event.split('.').at(-1),
		Actor: { Type: 'Key', Id: 7 },
		Target: { Type: event.split('.')[0], Id: id },
	}),
	describeCreated: ({ id, fields }) => ({ DossierId: id, Title: fields.Title }),
	readWebhook: ({ address, events }) => ({
		address: String(address),
		events: events as string[],
		secret: SECRET,
	}),
	sign(body, secret) {
		const at = Math.floor(Date.now() / 1000);
		const seal = createHmac('sha256', secret).update(`${at}\n${body}`).digest('base64');
		return { 'X-Seal': `ts=${at};seal=${seal}` };
	},
};

export const startForm = async () => await startForeign(manners);

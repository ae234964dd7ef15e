/** Reads the two formats of an upload, independently of the connector. */
import type { IDataObject } from 'n8n-workflow';
import type { Received } from './replies.mts';

interface Upload {
	fields: IDataObject;
	content: Buffer;
}

function readForm({ headers, body }: Received): Upload {
	const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1] ?? '';
	const delimiter = Buffer.from(`--${boundary}`);
	const fields: IDataObject = {};
	let content = Buffer.alloc(0);
	let at = body.indexOf(delimiter);
	for (;;) {
		const from = at + delimiter.length + 2;
		const end = body.indexOf(delimiter, from);
		if (at < 0 || end < 0) break;
		const split = body.indexOf('\r\n\r\n', from);
		const head = body.subarray(from, split).toString('utf8');
		const value = body.subarray(split + 4, end - 2);
		const name = /name="([^"]*)"/.exec(head)?.[1] ?? '';
		const fileName = /filename="([^"]*)"/.exec(head)?.[1];
		if (fileName === undefined) fields[name] = value.toString('utf8');
		else content = Buffer.from(value);
		at = end;
	}
	return { fields, content };
}

/** The fields and the bytes of an uploaded file, from a JSON object or from a form. */
export function readUpload(request: Received): Upload {
	if (request.headers['content-type']?.startsWith('multipart/form-data')) return readForm(request);
	const { content_base64: text, ...fields } = JSON.parse(request.body.toString('utf8')) as {
		content_base64: string;
	} & IDataObject;
	return { fields, content: Buffer.from(text, 'base64') };
}

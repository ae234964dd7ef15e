import type { IncomingMessage } from 'node:http';
import { Dicer } from '@fastify/busboy';
import { decodeExtended, parse } from 'content-disposition';
import { ServiceError, validationError } from '../../contract/service-error.mts';
import { bodyLimit, readBytes, parseMediaType } from '../body.mts';
import type { JsonObject } from '../../platform/json.mts';

/** How many bytes a field counts beside its name and its value. */
const roomOfField = 1024;

/**
 * Parts never ask for a pause. Memory stays bounded, because the body is passed on in small amounts; and the last bytes of a part that
 * pauses at the end of the body would never be read. Busboy's own parser sets this, too, but its types lack it.
 */
const neverPaused: Dicer.Config & { partHwm: number } = { partHwm: Number.MAX_SAFE_INTEGER };

/** The text fields of a form, and the name and type from the headers of its file. */
interface FormFields {
	fields: JsonObject;
	partHeaders: JsonObject;
}

/**
 * Reads a form (RFC 7578): gives its text fields, and hands the bytes of its part `file` to `write`, which it awaits before it reads
 * more of the body. If the form has a file, `partHeaders` has `file: ''`, and `file_name` and `mime_type` from the part's own headers.
 * Throws 400 `INVALID_PARAMETER` for a form that cannot be read.
 */
const fileField = 'file';

export async function readFormParts(
	incoming: IncomingMessage,
	write: (bytes: Buffer) => Promise<void>,
): Promise<FormFields> {
	const boundary = parseMediaType(incoming).params.get('boundary');
	if (!boundary) throw createFormError('Its Content-Type names no boundary.');
	const fields = new Map<string, string>();
	let partHeaders: JsonObject | undefined;
	/** Bytes of the file that have arrived and are not written. */
	const content: Buffer[] = [];
	let room = bodyLimit;
	let failure: Error | undefined;
	const fail = (error: Error) => void (failure ??= error);
	const takeRoom = (bytes: number) => {
		room -= bytes;
		const why = `It has too many fields beside the file, or more than ${bodyLimit} bytes in them.`;
		if (room < 0) fail(createFormError(why));
	};

	const dicer = new Dicer({ ...neverPaused, boundary });
	dicer.on('part', (part) => {
		let name = '';
		const value: Buffer[] = [];
		part.on('header', (header) => {
			const headers = new Map<string, string[]>(Object.entries(header));
			const { parameters } = parse(headers.get('content-disposition')?.[0] ?? '', {
				multipart: true,
				extended: false,
			});
			name = decodeHeaderText(parameters.name ?? '');
			// Names take room as well, even without a value.
			if (name !== fileField) takeRoom(name.length + roomOfField);
			else if (partHeaders) fail(validationError('file', 'too_many', twoFiles));
			else partHeaders = describeFile(parameters, headers.get('content-type')?.[0]);
		});
		part.on('data', (data: Buffer) => {
			if (name !== fileField) takeRoom(data.length);
			if (!failure) (name === fileField ? content : value).push(data);
		});
		part.on('end', () => {
			if (name === '' || name === fileField || failure) return;
			fields.set(name, Buffer.concat(value).toString('utf8'));
		});
		part.on('error', fail);
	});
	const finished = new Promise<void>((resolve) => {
		dicer.on('finish', resolve);
		dicer.on('error', ({ message }) => {
			fail(createFormError(`It ends in the middle: ${message}.`));
			resolve();
		});
	});

	for await (const chunk of readBytes(incoming)) {
		await new Promise((resolve) => dicer.write(chunk, resolve));
		for (const bytes of content.splice(0)) await write(bytes);
		if (room < 0) break;
	}
	if (room >= 0) {
		dicer.end();
		await finished;
	}
	for (const bytes of content.splice(0)) await write(bytes);
	if (failure) throw failure;
	return { fields: Object.fromEntries(fields), partHeaders: partHeaders ?? {} };
}

const twoFiles = 'There is more than one file. Send one file in a request.';

function describeFile(
	{ filename = '', 'filename*': extended = '' }: Record<string, string | undefined>,
	mime_type = 'application/octet-stream',
): JsonObject {
	const fileName = decodeExtended(extended) ?? decodeHeaderText(filename);
	// A name may come with a path in front, which is to be ignored (RFC 7578, section 4.2).
	const file_name = fileName.split(/[/\\]/).at(-1);
	return { file: '', ...(file_name && { file_name }), mime_type };
}

function decodeHeaderText(latin1: string): string {
	return Buffer.from(latin1, 'latin1').toString('utf8');
}

function createFormError(why: string): ServiceError {
	return new ServiceError('INVALID_PARAMETER', `The form cannot be read. ${why}`);
}

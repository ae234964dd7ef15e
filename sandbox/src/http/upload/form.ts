import type { IncomingMessage } from 'node:http';
import { Dicer } from '@fastify/busboy';
import { decodeExtended, parse } from 'content-disposition';
import { ServiceError, validationError } from '../../contract/service-error.ts';
import { bodyLimit, readBytes, parseMediaType } from '../body.ts';
import type { JsonObject } from '../../platform/json.ts';

/** How many bytes a field counts beside its name and its value. */
const roomOfField = 1024;

/**
 * Reads a form (RFC 7578): gives its text fields, and hands the bytes of its part `fileField` to `write`, which it awaits before it reads
 * more of the body. If the form has a file, `partHeaders` has `file: ''`, and `file_name` and `mime_type` from the part's own headers.
 * Throws 400 `INVALID_PARAMETER` for a form that cannot be read.
 */
export async function readForm(
	incoming: IncomingMessage,
	fileField: string,
	write: (bytes: Buffer) => Promise<void>,
): Promise<FormFields> {
	const boundary = parseMediaType(incoming).params.get('boundary');
	if (!boundary) throw createFormError('Its Content-Type names no boundary.');
	const form = new FormParser(boundary, fileField);
	for await (const chunk of readBytes(incoming)) {
		for (const bytes of await form.write(chunk)) await write(bytes);
		if (form.isTooLarge) return form.fields();
	}
	for (const bytes of await form.end()) await write(bytes);
	return form.fields();
}

/**
 * Parts never ask for a pause. Memory stays bounded, because the body is passed on in small amounts; and the last bytes of a part that
 * pauses at the end of the body would never be read. Busboy's own parser sets this, too, but its types lack it.
 */
const neverPaused: Dicer.Config & { partHwm: number } = { partHwm: Number.MAX_SAFE_INTEGER };

/** One part of a form while it arrives: the file, a text field, or an unexpected part. */
interface Part {
	name: string;
	isFile: boolean;
	value: Buffer[];
}

/** The text fields of a form, and the name and type from the headers of its file. */
interface FormFields {
	fields: JsonObject;
	partHeaders: JsonObject;
}

class FormParser {
	readonly #fileField: string;
	readonly #dicer: Dicer;
	readonly #fields = new Map<string, string>();
	readonly #ofFile = new Map<string, string>();
	readonly #finished: Promise<void>;
	#content: Buffer[] = [];
	#fieldBytes = 0;
	#failure: Error | undefined;

	constructor(boundary: string, fileField: string) {
		this.#fileField = fileField;
		this.#dicer = new Dicer({ ...neverPaused, boundary });
		this.#dicer.on('part', (part) => {
			let current: Part = { name: '', isFile: false, value: [] };
			part.on('header', (header) => {
				current = this.#open(new Map<string, string[]>(Object.entries(header)));
			});
			part.on('data', (data: Buffer) => this.#take(current, data));
			part.on('end', () => this.#close(current));
			part.on('error', (error) => this.#fail(error));
		});
		this.#finished = new Promise((resolve) => {
			this.#dicer.on('finish', resolve);
			this.#dicer.on('error', (error) => {
				this.#fail(createFormError(`It ends in the middle: ${error.message}.`));
				resolve();
			});
		});
	}

	/** Takes bytes of the body, and gives the bytes of the file that came up meanwhile. */
	async write(chunk: Buffer): Promise<Buffer[]> {
		await new Promise((resolve) => this.#dicer.write(chunk, resolve));
		return this.#arrived();
	}

	/** Whether the text fields are larger than allowed beside a file. */
	get isTooLarge(): boolean {
		return this.#fieldBytes > bodyLimit;
	}

	async end(): Promise<Buffer[]> {
		this.#dicer.end();
		await this.#finished;
		return this.#arrived();
	}

	fields(): FormFields {
		if (this.#failure) throw this.#failure;
		return {
			fields: Object.fromEntries(this.#fields),
			partHeaders: Object.fromEntries(this.#ofFile),
		};
	}

	#arrived(): Buffer[] {
		const content = this.#content;
		this.#content = [];
		return content;
	}

	#open(header: Map<string, string[]>): Part {
		const { parameters } = parse(header.get('content-disposition')?.[0] ?? '', {
			multipart: true,
			extended: false,
		});
		const name = decodeHeaderText(parameters.name ?? '');
		const isFile = name === this.#fileField;
		// Names take room as well, even without a value.
		if (!isFile) this.#makeRoom(name.length + roomOfField);
		if (isFile && this.#ofFile.has('file')) {
			this.#fail(
				validationError(
					'file',
					'too_many',
					'There is more than one file. Send one file in a request.',
				),
			);
		} else if (isFile) {
			const fileName =
				decodeExtended(parameters['filename*'] ?? '') ??
				decodeHeaderText(parameters.filename ?? '');
			// A name may come with a path in front, which is to be ignored (RFC 7578, section 4.2).
			const plain = fileName.split(/[/\\]/).at(-1) ?? '';
			this.#ofFile.set('file', '');
			if (plain !== '') this.#ofFile.set('file_name', plain);
			this.#ofFile.set('mime_type', header.get('content-type')?.[0] ?? 'application/octet-stream');
		}
		return { name, isFile, value: [] };
	}

	#take(part: Part, data: Buffer): void {
		if (this.#failure) return;
		if (part.isFile) {
			this.#content.push(data);
			return;
		}
		this.#makeRoom(data.length);
		if (!this.#failure) part.value.push(data);
	}

	#makeRoom(bytes: number): void {
		this.#fieldBytes += bytes;
		if (!this.isTooLarge) return;
		this.#failure = createFormError(
			`It has too many fields beside the file, or more than ${bodyLimit} bytes in them.`,
		);
	}

	#close({ name, isFile, value }: Part): void {
		if (name !== '' && !isFile && !this.#failure)
			this.#fields.set(name, Buffer.concat(value).toString('utf8'));
	}

	#fail(error: Error): void {
		this.#failure ??= error;
	}
}

function decodeHeaderText(latin1: string): string {
	return Buffer.from(latin1, 'latin1').toString('utf8');
}

function createFormError(why: string): ServiceError {
	return new ServiceError('INVALID_PARAMETER', `The form cannot be read. ${why}`);
}

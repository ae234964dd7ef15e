import type { IncomingMessage } from 'node:http';
import { ServiceError, validationError } from '../../contract/service-error.mts';
import type { Switches } from '../../contract/switches.mts';
import { bodyLimit, readBytes, parseMediaType, parseBody } from '../body.mts';
import type { JsonObject } from '../../platform/json.mts';
import type { Upload } from '../../records/documents.mts';
import type { Files, IncomingFile } from '../../database/files.mts';
import { Base64Decoder } from './base64.mts';
import { ContentScanner } from './content-scanner.mts';
import { readFormParts } from './form.mts';

const member = 'content_base64';

interface UploadRules {
	/** The largest file, in bytes. */
	maxFileBytes: number;
	/** The formats that are taken. */
	formats: Switches['uploads'];
	/** Validates the fields by the contract, under a media type. Throws 400 and 422. */
	validate(mediaType: string, body: JsonObject): void;
}

/**
 * Receives an upload as JSON or as a form and streams its file to the disk. Throws 400 and 422 if it breaks the rules, and then
 * removes the file. Otherwise the caller has to discard the file, which does nothing once the store has kept it.
 *
 * The whole body is read before it is validated, so that 400 comes before 422 in every order of its fields.
 */
export async function receiveUpload(
	incoming: IncomingMessage,
	files: Files,
	rules: UploadRules,
): Promise<Upload> {
	const receive = selectReceiver(parseMediaType(incoming).essence, rules.formats);
	const file = await files.receive();
	try {
		const fields = await receive(incoming, new LimitedFile(file, rules.maxFileBytes), rules);
		return { fields, file, content: await file.finish() };
	} catch (error) {
		await file.discard();
		throw error;
	}
}

type Receive = typeof receiveJson;

function selectReceiver(mediaType: string, formats: UploadRules['formats']): Receive {
	if (mediaType === 'application/json' && formats !== 'multipart') return receiveJson;
	if (mediaType === 'multipart/form-data' && formats !== 'json') return receiveForm;
	const known = { json: 'application/json', multipart: 'multipart/form-data' };
	const taken = formats === 'both' ? Object.values(known).join(' or ') : known[formats];
	throw new ServiceError(
		'UNSUPPORTED_MEDIA_TYPE',
		`An upload of this type is not taken here. Send Content-Type: ${taken}.`,
	);
}

async function receiveJson(
	incoming: IncomingMessage,
	file: LimitedFile,
	rules: UploadRules,
): Promise<JsonObject> {
	const scanner = new ContentScanner(member, bodyLimit);
	const decoder = new Base64Decoder();
	for await (const chunk of readBytes(incoming)) {
		for (const piece of scanner.write(chunk)) await file.write(decoder.write(piece));
	}
	const fields = parseBody(scanner.around());
	rules.validate('application/json', fields);
	if (!decoder.end()) {
		throw validationError(
			member,
			'invalid_format',
			'The content is not base64 with padding and without line breaks.',
		);
	}
	file.assertSize(member);
	return fields;
}

async function receiveForm(
	incoming: IncomingMessage,
	file: LimitedFile,
	rules: UploadRules,
): Promise<JsonObject> {
	const { partHeaders, ...form } = await readFormParts(incoming, (bytes) => file.write(bytes));
	const fields: JsonObject = { ...partHeaders, ...form.fields };
	rules.validate('multipart/form-data', fields);
	file.assertSize('file');
	if (fields.file_name === undefined) {
		const message = 'The file has no name. Send the field file_name, or a name with the file.';
		throw new ServiceError('MISSING_REQUIRED_FIELD', message, [
			{ field: 'file_name', code: 'required', message },
		]);
	}
	if (typeof fields.custom_fields !== 'string') return fields;
	try {
		return { ...fields, custom_fields: parseBody(fields.custom_fields) };
	} catch {
		throw validationError(
			'custom_fields',
			'invalid_format',
			'Expected a JSON object as text in custom_fields.',
		);
	}
}

/** A file with a limit. Bytes beyond it are read and dropped. */
class LimitedFile {
	readonly #file: IncomingFile;
	readonly #limit: number;
	#size = 0;

	constructor(file: IncomingFile, limit: number) {
		this.#file = file;
		this.#limit = limit;
	}

	async write(bytes: Buffer): Promise<void> {
		this.#size += bytes.length;
		if (this.#size <= this.#limit && bytes.length > 0) await this.#file.write(bytes);
	}

	/** Throws 422 `FILE_TOO_LARGE`. */
	assertSize(field: string): void {
		if (this.#size <= this.#limit) return;
		const message = `The file is larger than ${this.#limit} bytes, which is the most that this service takes.`;
		throw new ServiceError('FILE_TOO_LARGE', message, [{ field, code: 'too_large', message }]);
	}
}

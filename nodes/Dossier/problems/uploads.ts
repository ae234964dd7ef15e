/** Problems with documents that get a file. Sizes are in bytes. */
import { defineProblem } from './definition';
import { adviseModel, chooseHint, writeRefusal } from './refusal';
import type { Refusal } from './refusal';

const fileName = 'invoice.pdf';
const documentId = 'doc_5t9x0c7v';

const taken: Refusal = {
	status: 409,
	message: 'The file name is in use',
	details: [],
	access: 'key',
};

export const uploadProblems = {
	/** The dialect names `path` for the address, and the answer has none there. */
	NO_ADDRESS_FOR_FILE: defineProblem<{ fileName: string; path: string }>({
		message: ({ fileName, path }) =>
			`The service made a document for ${fileName}, but its answer has no address for the file at ${path}`,
		hint: () =>
			"The document was deleted again. Correct upload.address and upload.confirm in the dialect of the credential, with the service's reference.",
		samples: [{ fileName, path: 'upload.url' }],
	}),
	/** The service took the file, but its document shows no content. */
	FILE_NOT_SHOWN: defineProblem<{ fileName: string; documentId: string }>({
		message: ({ fileName, documentId }) =>
			`The service took the bytes of ${fileName}, but its document ${documentId} shows no content`,
		hint: () =>
			'The service may want a confirmation (upload.confirm in the dialect of the credential), or may still look at the file. Look at the document in the service before you upload the file again.',
		samples: [{ fileName, documentId }],
	}),
	/** The service may refuse a second document with the same file name. `documentId` is the one that has the name, if the run knows it. */
	FILE_NAME_TAKEN: defineProblem<{ refusal: Refusal; fileName: string; documentId?: string }>({
		message: ({ refusal }, forms) => writeRefusal(refusal, forms),
		hint: ({ fileName, documentId }, { node }) => {
			const holder = documentId === undefined ? 'a document' : `the document ${documentId}`;
			const reason = `If the reason is that ${holder} of the dossier is named ${fileName}`;
			if (!node.has('fileName'))
				return `Nothing was copied. ${reason}, delete or replace that document first, or choose another dossier.`;
			return `Nothing was uploaded. ${reason}, give the file another name with the option ${node.field('fileName')} to keep both, or delete that document first.`;
		},
		modelHint: () =>
			'Nothing was uploaded. If the reason is the name of the file, give it another one.',
		samples: [
			{ refusal: taken, fileName, documentId },
			{ refusal: taken, fileName },
		],
	}),
	/** The file could not be sent, and its document not deleted. `isVersion`: the document was there before, so it stays. `refusal`: why the service or its storage refused the file. */
	DOCUMENT_WITHOUT_FILE: defineProblem<{
		fileName: string;
		documentId: string;
		isVersion?: boolean;
		refusal?: Refusal;
	}>({
		message: ({ fileName, documentId, isVersion, refusal }, forms) =>
			`The file ${fileName} could not be sent${isVersion ? ` as a new version of the document ${documentId}` : `, and its document ${documentId} is left without it`}${refusal ? `: ${writeRefusal(refusal, forms)}` : ''}`,
		hint: ({ isVersion }) =>
			isVersion
				? 'The document was there before, so it was not deleted. Look in the service whether it still has its old content, and upload the file again.'
				: 'Look at this document in the service. If it has no content, delete it. Then upload the file again.',
		samples: [
			{ fileName, documentId },
			{ fileName, documentId, isVersion: true },
			{
				fileName,
				documentId,
				refusal: { status: 403, message: 'Access Denied', details: [], access: 'signed' },
			},
		],
	}),
	/** The stored file has another size than the one that was sent or, if no sizes are given, another SHA-256. */
	UPLOAD_MISMATCH: defineProblem<{
		fileName: string;
		stored?: number;
		sent?: number;
		documentId?: string;
		isVersion?: boolean;
	}>({
		message: ({ fileName, stored, sent }) =>
			stored === undefined
				? `The service stored ${fileName} with another SHA-256 than it was sent with`
				: `The service stored ${stored} bytes of ${fileName} instead of ${sent}`,
		hint: ({ documentId, isVersion }) =>
			isVersion
				? `The document ${documentId} was there before: look in the service which content it has, and upload the file again.`
				: `Look at the document ${documentId ?? 'just made'} in the service: if it is new, delete it. Then upload the file again.`,
		samples: [
			{ fileName, stored: 1024, sent: 4096, documentId },
			{ fileName, documentId, isVersion: true },
			{ fileName, documentId },
		],
	}),
	/**
	 * The dossier does not hold the content of a document under its copy. `left` is the copy, if it could not be deleted or was
	 * there before. `why`: the service answered with another document than a new one, or put the copy elsewhere.
	 */
	NOT_COPIED: defineProblem<{ fileName: string; left?: string; why?: 'other' | 'elsewhere' }>({
		message: ({ fileName, left, why }) =>
			why === 'other'
				? `The service answered with the document ${left}, which it had before, instead of a copy of ${fileName}`
				: why === 'elsewhere'
					? `The dossier does not have the copy of ${fileName}`
					: `The copy of ${fileName} does not have the content of the original`,
		hint: ({ left, why }) =>
			why === 'other'
				? 'Nothing was deleted. Look in the service which documents it has now.'
				: left === undefined
					? 'The copy was deleted again, and the original was kept. Run the operation again.'
					: `The original was kept. Look at the document ${left} in the service: if it is new and nobody needs it, delete it.`,
		samples: [
			{ fileName },
			{ fileName, left: documentId },
			{ fileName, left: documentId, why: 'other' },
			{ fileName, left: documentId, why: 'elsewhere' },
		],
	}),
	/** The service took a file, and refuses the new document when it is compared with the file. */
	NEW_DOCUMENT_UNREADABLE: defineProblem<{
		refusal: Refusal;
		fileName: string;
		documentId: string;
	}>({
		message: ({ refusal, fileName, documentId }, forms) =>
			`The service took ${fileName} as the document ${documentId}, but does not give it out: ${writeRefusal(refusal, forms)}`,
		hint: () =>
			'Nothing was deleted. Look in the service whether the new document is there, before you run this again.',
		samples: [
			{
				refusal: { status: 404, message: 'Not found', details: [], access: 'key' },
				fileName,
				documentId,
			},
		],
	}),
	/** The document was copied, and the service refused to delete the original. */
	ORIGINAL_LEFT: defineProblem<{ refusal: Refusal; id: string; copyId: string }>({
		message: ({ refusal }, forms) => writeRefusal(refusal, forms),
		hint: ({ refusal, id, copyId }, forms) =>
			`The other dossier has the document as ${copyId}, and the original ${id} is still there. ${chooseHint(refusal, forms)} A further run copies nothing again and deletes the original.`,
		modelHint: ({ refusal }, forms) => adviseModel(refusal, forms),
		samples: [
			{
				refusal: {
					status: 403,
					code: 'INSUFFICIENT_SCOPE',
					message: 'The key may not delete documents',
					details: [],
					access: 'key',
				},
				id: documentId,
				copyId: 'doc_7h2m4k9s',
			},
		],
	}),
	/**
	 * The service does not hold the whole file under the new document, so the old one stays. `why`: it made the file a version
	 * of the old one, answered with another document than a new one, or put the new one elsewhere.
	 */
	NOT_REPLACED: defineProblem<{
		fileName: string;
		documentId?: string;
		why?: 'version' | 'other' | 'elsewhere';
	}>({
		message: ({ fileName, documentId, why }) =>
			why === 'other'
				? `The service answered with the document ${documentId}, which it had before, instead of a new one for ${fileName}`
				: why === 'elsewhere'
					? `The dossier does not have the new document for ${fileName}`
					: `The service does not hold the whole of ${fileName}`,
		hint: ({ documentId, why }) =>
			why === 'version'
				? `It made the file a version of the document ${documentId}: look there which content that has, and upload the file again.`
				: why === 'other'
					? 'The old document was kept. Look in the service which documents it has now.'
					: `The old document was kept. Look at the document ${documentId ?? 'just made'} in the service: if it is new, delete it. Then upload the file again.`,
		samples: [
			{ fileName, documentId },
			{ fileName, documentId, why: 'version' },
			{ fileName, documentId, why: 'other' },
			{ fileName, documentId, why: 'elsewhere' },
		],
	}),
};

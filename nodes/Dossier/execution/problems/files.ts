import type { Sentences } from './labels';

/** Problems with reading and storing files. */
export const fileSentences = {
	FILE_GONE: {
		message: ({ fileName }) => `The file ${fileName} is no longer in n8n's storage`,
		hint: () =>
			'It was deleted while the workflow ran. Read or receive the file again in this execution.',
	},
	FILE_CHANGED: {
		message: ({ fileName, announced, read = 0 }) =>
			announced === undefined
				? `The file ${fileName} changed while it was read`
				: `The file ${fileName} has ${read > announced ? 'more' : 'fewer'} bytes than the ${announced} that were announced`,
		hint: () =>
			'The service got no document. Run the operation again when the file has stopped changing.',
	},
	STORAGE_FAILED: {
		message: ({ fileName, reason }) => `n8n's storage failed at the file ${fileName}: ${reason}`,
		hint: () =>
			'Check the disk or the store that n8n keeps binary data in, and run the operation again.',
	},
	FILE_URL_FAILED: {
		message: ({ host, status }) => `The file at ${host} could not be fetched: status ${status}`,
		hint: (_, { node }) =>
			`Check ${node.field('fileUrl')}, and that it can be opened without signing in.`,
	},
	FILE_NOT_IN_ANSWER: {
		message: ({ host, fileName }) =>
			`${host} answered with JSON in place of ${fileName}, and no field of it holds the file`,
		hint: () =>
			"Nothing was returned. The operation 'Check Contract' finds out how the service hands out files, and gives the dialect for the credential.",
	},
	STORAGE_FULL: {
		message: () => 'n8n has no space left to store the file',
		hint: () =>
			'Free space on the disk that n8n keeps binary data on, and run the operation again.',
	},
	DOWNLOAD_MISMATCH: {
		message: ({ arrived, expected }) =>
			`The downloaded file is damaged: ${
				arrived === undefined
					? 'its SHA-256 differs from the one that the service gives for it'
					: `${arrived} bytes arrived instead of ${expected}`
			}`,
		hint: () =>
			'Nothing was returned. Run the operation again; if it happens again, the file is damaged at the service.',
	},
	UPLOAD_MISMATCH: {
		message: ({ fileName, stored, sent }) =>
			stored === undefined
				? `The service stored ${fileName} with another SHA-256 than it was sent with`
				: `The service stored ${stored} bytes of ${fileName} instead of ${sent}`,
		hint: ({ documentId }) =>
			`Delete the document ${documentId ?? 'just made'} and upload the file again.`,
	},
	NOTHING_TO_COMPARE: {
		message: ({ fileName }) =>
			`The service does not show the file names of its documents, so nothing says whether ${fileName} is among them`,
		hint: (_, { node }) =>
			`Nothing was uploaded. ${
				node.has('ifExists')
					? `Set ${node.field('ifExists')} to ${node.choice('ifExists', 'upload')}, or describe`
					: 'Describe'
			} in the credential what the service calls the name of a file.`,
	},
	TOO_MANY_TO_DELETE: {
		message: ({ count, limit, names }) =>
			`${count} documents of the dossier are not among the files, and at most ${limit} may be deleted: ${names.join(', ')}${names.length < count ? ', …' : ''}`,
		hint: (_, { node }) =>
			`Nothing was uploaded or deleted. Check that the previous step returns all files, or raise ${node.field('deleteLimit')}.`,
	},
	FILES_IN_ROUNDS: {
		message: ({ names }) =>
			`An earlier round of the loop had the same dossier, and this round would delete ${names.join(', ')}`,
		hint: () =>
			'Nothing was uploaded or deleted in this round. Give this step all files of a dossier at once, outside of the loop.',
	},
	NOT_REPLACED: {
		message: ({ fileName }) => `The service does not hold the whole of ${fileName}`,
		hint: ({ documentId }) =>
			`The old document was kept. Delete the document ${documentId ?? 'just made'} and upload the file again.`,
	},
} satisfies Partial<Sentences>;

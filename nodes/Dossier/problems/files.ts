/** Problems with reading, sending and storing files. Sizes are in bytes. */
import { defineProblem } from './definition';
import type { NoFacts } from './definition';
import { adviseModel, chooseHint, writeRefusal } from './refusal';
import type { Refusal } from './refusal';

const fileName = 'invoice.pdf';

/** What servers give in place of a file, such as a page to sign in or an error in JSON, and how it is asked for. */
const IN_PLACE = {
	page: { what: 'a web page', type: 'text/html' },
	text: { what: 'text', type: 'text/plain' },
};

export const fileProblems = {
	FILE_GONE: defineProblem<{ fileName: string }>({
		message: ({ fileName }) => `The file ${fileName} is no longer in n8n's storage`,
		hint: () =>
			'n8n has deleted it, e.g. with the execution that stored it. Read or receive the file again in this execution.',
		samples: [{ fileName }],
	}),
	/** Without sizes, the content differs from an earlier reading. */
	FILE_CHANGED: defineProblem<{ fileName: string; announced?: number; read?: number }>({
		message: ({ fileName, announced, read = 0 }) =>
			announced === undefined
				? `The file ${fileName} changed while it was read`
				: `The file ${fileName} has ${read > announced ? 'more' : 'fewer'} bytes than the ${announced} that were announced`,
		hint: () =>
			'The service got no document. Run the operation again when the file has stopped changing.',
		samples: [{ fileName, announced: 4096, read: 1024 }, { fileName }],
	}),
	STORAGE_FAILED: defineProblem<{ fileName: string; reason: string }>({
		message: ({ fileName, reason }) => `n8n's storage failed at the file ${fileName}: ${reason}`,
		hint: () =>
			'Check the disk or the store that n8n keeps binary data in, and run the operation again.',
		samples: [{ fileName, reason: 'permission denied' }],
	}),
	FILE_URL_FAILED: defineProblem<{ host: string; status: number; found?: keyof typeof IN_PLACE }>({
		message: ({ host, status, found }) =>
			found
				? `${host} gave ${IN_PLACE[found].what} in place of the file`
				: `The file at ${host} could not be fetched: status ${status}`,
		hint: ({ status, found }, forms) =>
			status === 407
				? chooseHint({ status, details: [], access: 'file' }, forms)
				: `Check ${forms.node.field('fileUrl')}, and that it can be opened without signing in.${found ? ` If this is the file, add the option ${forms.node.field('mimeType')} with ${IN_PLACE[found].type}.` : ''}`,
		modelHint: () => 'Check the address, which must open without signing in.',
		samples: [
			{ host: 'files.example.com', status: 404 },
			{ host: 'files.example.com', status: 200, found: 'page' },
			{ host: 'files.example.com', status: 200, found: 'text' },
		],
	}),
	/** The service answered with JSON in place of the file, and no field of it holds the file or its address. */
	FILE_NOT_IN_ANSWER: defineProblem<{ host: string; fileName: string }>({
		message: ({ host, fileName }) =>
			`${host} answered with JSON in place of ${fileName}, and no field of it holds the file`,
		hint: () =>
			"Nothing was returned. The operation 'Check Contract' shows what the service answers. If the file has another name there, the dialect in the credential can say it.",
		samples: [{ host: 'api.example.com', fileName }],
	}),
	/** The service still prepares the file (202), gave nothing (204, or 200 with an empty body), gave only a part of it that nobody asked for (206), compressed it in a way that n8n does not undo, or labels a compressed file so that n8n unpacks it. */
	FILE_NOT_WHOLE: defineProblem<{
		host: string;
		fileName: string;
		status: number;
		encoding?: string;
		isUnpacked?: boolean;
		/** How long the service asks to wait, in ms. */
		retryAfterMs?: number;
	}>({
		message: ({ host, fileName, status, encoding, isUnpacked }) => {
			if (isUnpacked)
				return `${host} labels ${fileName} with Content-Encoding, so n8n unpacks it, and the file itself does not arrive`;
			return encoding
				? `${host} compressed ${fileName} (${encoding}), although the node asked it not to`
				: `${host} did not give the whole of ${fileName} (status ${status})`;
		},
		hint: ({ host, status, encoding, isUnpacked }) => {
			if (isUnpacked)
				return `Nothing was stored. Tell those who run ${host} to send compressed files without Content-Encoding if a request says "Accept-Encoding: identity".`;
			if (encoding)
				return `Nothing proves that the file is whole, so it was not used. Tell those who run ${host}.`;
			if (status === 202)
				return 'It may still be preparing the file. Run the operation again in a while.';
			const cause =
				status === 206
					? 'A cache before the service may hold a part of the file'
					: 'The answer has no file, or only a part of it';
			return `${cause}. Run the operation again in a while; if it happens again, tell those who run ${host}.`;
		},
		samples: [
			{ host: 'api.example.com', fileName, status: 202 },
			{ host: 'api.example.com', fileName, status: 206 },
			{ host: 'api.example.com', fileName, status: 204 },
			{ host: 'api.example.com', fileName, status: 200, encoding: 'gzip, gzip' },
			{ host: 'api.example.com', fileName: 'log.txt.gz', status: 200, isUnpacked: true },
		],
	}),
	STORAGE_FULL: defineProblem<NoFacts>({
		message: () => 'n8n has no space left to store the file',
		hint: () =>
			'Free space on the disk that n8n keeps binary data on, and run the operation again.',
		samples: [{}],
	}),
	/** Without sizes, the SHA-256 differs. */
	DOWNLOAD_MISMATCH: defineProblem<{ arrived?: number; expected?: number }>({
		message: ({ arrived, expected }) =>
			`The downloaded file is damaged: ${
				arrived === undefined
					? 'its SHA-256 differs from the one that the service gives for it'
					: `${arrived} bytes arrived instead of ${expected}`
			}`,
		hint: () =>
			'Nothing was returned. Run the operation again; if it happens again, the file is damaged at the service, or the service sends a compressed file with the header Content-Encoding, so that n8n unpacks it.',
		samples: [{ arrived: 1024, expected: 4096 }, {}],
	}),
	/** The service does not list the file names of its documents, so a file cannot be found among them. */
	NOTHING_TO_COMPARE: defineProblem<{ fileName: string }>({
		message: ({ fileName }) =>
			`The service does not show the file names of its documents, so nothing says whether ${fileName} is among them`,
		hint: (_, { node }) =>
			`Nothing was uploaded. ${
				node.has('ifExists')
					? `Set ${node.field('ifExists')} to ${node.choice('ifExists', 'upload')}, or describe`
					: 'Describe'
			} in the credential what the service calls the name of a file.`,
		samples: [{ fileName }],
	}),
	/** The key may not read the documents among which an upload looks for its file. */
	EXISTING_UNREADABLE: defineProblem<{ refusal: Refusal; fileName: string }>({
		message: ({ refusal }, forms) => writeRefusal(refusal, forms),
		hint: ({ refusal, fileName }, forms) =>
			`The node reads the documents of the dossier to find out whether ${fileName} is among them. ${chooseHint(refusal, forms)} If the key may upload and not read, set ${forms.node.field('ifExists')} to ${forms.node.choice('ifExists', 'upload')}.`,
		modelHint: ({ refusal }, forms) => adviseModel(refusal, forms),
		samples: [
			{
				refusal: {
					status: 403,
					code: 'INSUFFICIENT_SCOPE',
					message: 'The key lacks the scope documents:read',
					details: [],
					access: 'key',
				},
				fileName,
			},
		],
	}),
	/** A synchronization would delete more documents than it may. `names` are some of their file names. */
	TOO_MANY_TO_DELETE: defineProblem<{ count: number; limit: number; names: string[] }>({
		message: ({ count, limit, names }) =>
			`${count} documents of the dossier are not among the files, and at most ${limit} may be deleted: ${names.join(', ')}${names.length < count ? ', …' : ''}`,
		hint: (_, { node }) =>
			`Nothing was uploaded or deleted. Check that the previous step returns all files, or raise ${node.field('deleteLimit')}.`,
		samples: [{ count: 3, limit: 0, names: ['a.pdf', 'b.pdf', 'c.pdf'] }],
	}),
	/** The items of a run would delete more records than they may. */
	TOO_MANY_DELETIONS: defineProblem<{ count: number; limit: number }>({
		message: ({ count, limit }) =>
			`The items would delete ${count} records, and at most ${limit} may be deleted`,
		hint: (_, { node }) =>
			`Nothing was deleted. Check what the previous step returns. If all of it is to be deleted, raise ${node.field('deleteLimit')}.`,
		samples: [{ count: 3, limit: 1 }],
	}),
	/** A later round of a loop would delete documents, because they are not among its files. */
	FILES_IN_ROUNDS: defineProblem<{ names: string[] }>({
		message: ({ names }) =>
			`An earlier round of the loop had the same dossier, and this round would delete ${names.join(', ')}`,
		hint: () =>
			'Nothing was uploaded or deleted in this round. Give this step all files of a dossier at once, outside of the loop.',
		samples: [{ names: ['a.pdf', 'b.pdf'] }],
	}),
	/** n8n gives the node only the first item, and the run would delete documents that are not among its files. */
	FILES_OF_FIRST_ITEM: defineProblem<{ names: string[] }>({
		message: ({ names }) =>
			`This step gets only the first item, because it is set to execute once, and would delete ${names.join(', ')}`,
		hint: () =>
			'Nothing was uploaded or deleted. Switch "Execute Once" off in the settings of the step.',
		samples: [{ names: ['a.pdf', 'b.pdf'] }],
	}),
};

import { assumedEvents } from './canonical';

/**
 * What the connector assumes about the service beyond its description, as data. docs/contract.md explains each number.
 */
export const contract = {
	/** base addresses end with this segment. The part before it is the root of both path families. */
	versionSegment: 'v1',

	/** */
	dossierStates: ['open', 'in_progress', 'pending', 'closed', 'archived'],

	/** the usual categories; any other snake_case word may be used. */
	documentCategories: [
		'certificate',
		'contract',
		'correspondence',
		'identity_document',
		'invoice',
		'other',
		'payslip',
		'tax',
	],

	/** the category of documents that fit no other. */
	defaultCategory: 'other',

	/** The kinds of event that the service documents. */
	events: [...assumedEvents, 'document.uploaded' as const].sort(),

	/** names of the upload's fields. */
	upload: { jsonContent: 'content_base64', multipartFile: 'file' },

	/** how a service refuses the format of an upload. */
	unsupportedMediaType: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },

	/**
	 * the page size that requests ask for, the most pages that a list may have, and how many in a row may be empty. A service
	 * that filters after paging gives empty pages.
	 */
	pages: { size: 100, most: 10_000, mostEmpty: 1_000 },

	/** the code of the refusal if another dossier has the reference. */
	duplicateReference: 'DUPLICATE_REFERENCE',

	/** how a key for production data begins, and one for test data. */
	liveKeyPrefix: 'sk_live_',
	testKeyPrefix: 'sk_test_',
} as const;

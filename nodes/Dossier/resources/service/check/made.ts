import { Markers } from './offer';

/** What the check has made, and has to delete. */
export interface Made {
	dossiers: string[];
	documents: MadeDocument[];
	tasks: string[];
	markers: Markers;
	/** Set as soon as something may have been made. */
	hasBegun: boolean;
	deletions: number;
	/** Whether a dossier with nothing in it may have been made, which no marker tells. */
	mayBeBlank: boolean;
	/** What is tried if there are requests left. */
	later: Array<() => Promise<void>>;
}

/** A file that the service took. */
interface MadeDocument {
	id: string;
	/** What it may contain. */
	contents: Buffer[];
}

export const startMaking = (): Made => ({
	dossiers: [],
	documents: [],
	tasks: [],
	markers: new Markers(),
	hasBegun: false,
	deletions: 0,
	mayBeBlank: false,
	later: [],
});

import type { components } from '../../../../contract/generated/types.ts';
import type { Plan } from '../../accounts/caller.ts';

type Schemas = components['schemas'];

/** Organizations and records to begin with. `schema.ts` checks it, with the fields of the contract. */
export interface Seed {
	organizations: SeedOrganization[];
}

/** An organization that exists, by its id or its name, gets the records; any other one is created. */
export type SeedOrganization = {
	name: string;
	/** Default: a fresh identifier. */
	id?: string;
	/** Default: enterprise. Only for a new organization, as the keys. */
	plan?: Plan;
	live_key?: string;
	test_key?: string;
	live?: SeedRecords;
	test?: SeedRecords;
};

/** What one kind of key sees. */
export interface SeedRecords {
	dossiers?: SeedDossier[];
	tasks?: SeedTask[];
	users?: SeedUser[];
}

/** A dossier with its documents and tasks. */
type SeedDossier = Schemas['DossierCreate'] & {
	documents?: SeedDocument[];
	tasks?: Omit<SeedTask, 'dossier'>[];
};

/** A document with its content: one of `file`, `content` and `content_base64`. */
export type SeedDocument = Partial<Omit<Schemas['DocumentUpload'], 'content_base64'>> & {
	/** A path, relative to the seed file. Only in a file. */
	file?: string;
	/** Text. */
	content?: string;
	content_base64?: string;
};

/** A task. `dossier` is the reference of a dossier of the same records. */
type SeedTask = Omit<Schemas['TaskCreate'], 'dossier_id'> & { dossier?: string };

/** Somebody who is invited to the portal. `dossiers` are references of dossiers of the same records. */
type SeedUser = Omit<Schemas['Invite'], 'dossier_ids' | 'expires_in_days'> & {
	dossiers?: string[];
	expires_in_days?: number;
};

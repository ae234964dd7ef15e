import type { Contract } from './contract/contract.ts';
import { Validation } from './contract/validation.ts';
import { Audit } from './storage/audit.ts';
import { Database } from './storage/database.ts';
import { Documents } from './storage/documents.ts';
import { Dossiers } from './storage/dossiers.ts';
import { Files } from './storage/files.ts';
import { Listing } from './storage/listing.ts';
import { Organizations } from './storage/organizations.ts';
import { Outbox } from './storage/outbox.ts';

export type Environment = 'production' | 'sandbox';

export interface ServiceOptions {
	environment: Environment;
	/** The largest file, in bytes. */
	maxFileBytes: number;
}

/** The service without HTTP: its rules, and its state in one data folder. */
export class Service {
	readonly options: ServiceOptions;
	readonly contract: Contract;
	readonly validation: Validation;
	readonly organizations: Organizations;
	readonly dossiers: Dossiers;
	readonly documents: Documents;
	readonly files: Files;
	readonly listing: Listing;
	readonly audit: Audit;
	readonly outbox: Outbox;
	readonly #database: Database;

	/** Opens a data folder that exists. Throws a sentence when it cannot be used. */
	constructor(dataDir: string, contract: Contract, options: ServiceOptions) {
		this.options = options;
		this.contract = contract;
		this.validation = new Validation(contract);
		this.#database = new Database(dataDir);
		this.organizations = new Organizations(this.#database, dataDir);
		this.files = new Files(this.#database, dataDir);
		this.listing = new Listing(this.#database);
		this.audit = new Audit(this.#database);
		this.outbox = new Outbox(this.#database, { iso: () => new Date().toISOString() });
		this.dossiers = new Dossiers(this.#database, this.files, contract, this.audit);
		this.documents = new Documents(this.#database, this.files, this.dossiers, contract, this.audit);
	}

	close(): void {
		this.#database.close();
	}
}

import { PublicIds } from './database/public-ids.ts';
import { Clock } from './platform/clock.ts';
import type { Contract } from './contract/contract.ts';
import { Validation } from './contract/validation.ts';
import { Dispatcher } from './webhooks/dispatcher.ts';
import { DueSoonReminders } from './records/due-soon.ts';
import { WebhookFaults } from './webhooks/faults.ts';
import { WebhookSender } from './webhooks/sender.ts';
import { RequestFaults } from './requests/faults.ts';
import { Journal } from './requests/journal.ts';
import { RateLimits } from './requests/limits.ts';
import type { LimitRule } from './requests/limits.ts';
import { Audit } from './accounts/audit.ts';
import { Database } from './database/database.ts';
import { Deliveries } from './webhooks/deliveries.ts';
import { DeliveryLog } from './webhooks/delivery-log.ts';
import { Documents } from './records/documents.ts';
import { Dossiers } from './records/dossiers.ts';
import { Events } from './webhooks/events.ts';
import { FeatureFlags } from './accounts/feature-flags.ts';
import { Files } from './database/files.ts';
import { Invitations } from './portal/invitations.ts';
import { Keys } from './accounts/keys.ts';
import { Listing } from './database/listing.ts';
import { Organizations } from './accounts/organizations.ts';
import { Outbox } from './portal/outbox.ts';
import { PortalUsers } from './portal/portal-users.ts';
import { IdempotencyStore } from './requests/idempotency.ts';
import { withSeededIds } from './platform/ids.ts';
import { Secret } from './platform/secret.ts';
import { Sessions } from './portal/sessions.ts';
import { SignIn } from './portal/sign-in.ts';
import { Snapshots, readClockOffset, storeClockOffset } from './database/snapshots.ts';
import { Tasks } from './records/tasks.ts';
import { Tenants } from './accounts/tenants.ts';
import { Tokens } from './accounts/tokens.ts';
import { Webhooks } from './webhooks/webhooks.ts';
import type { Switches } from './dialect/switches.ts';
import type { Dialect } from './dialect/dialect.ts';

export type Environment = 'production' | 'sandbox';

interface ServiceOptions {
	environment: Environment;
	/** The largest file, in bytes. */
	maxFileBytes: number;
	rateLimits: LimitRule;
	/** Origins whose pages may read answers, beside those of this machine. */
	corsOrigins: string[];
	/** Whether a new data folder gets the keys and identifiers that every such folder has. */
	hasKnownKeys: boolean;
	/** Whether the data folder is removed in the end. */
	isTemporary: boolean;
	/** How long a webhook's receiver has for its answer, in milliseconds. */
	deliveryTimeoutMs: number;
}

/** The seed of well-known keys and identifiers. */
const wellKnown = 'dossier-sandbox';

/** The service without HTTP: its rules, and its state in one data folder. */
export class Service {
	readonly options: ServiceOptions;
	/** Where the service is reached, such as `http://127.0.0.1:4010`; known once it listens. */
	url = '';
	readonly contract: Contract;
	/** How the service answers if the contract has alternatives. `Object.assign` changes it while the service runs. */
	readonly switches: Switches;
	/** The names that the service uses. The dialect can be replaced while the service runs. */
	dialect: Dialect;
	readonly database: Database;
	readonly secret: Secret;
	readonly clock: Clock;
	readonly validation: Validation;
	readonly files: Files;
	readonly journal: Journal;
	readonly limits: RateLimits;
	readonly faults = new RequestFaults();
	readonly webhookFaults = new WebhookFaults();
	readonly snapshots: Snapshots;
	readonly sender: WebhookSender;
	// Each of these takes the service as its parts, which it reads when it is called.
	/** Translates identifiers for callers. */
	readonly ids = new PublicIds(this);
	readonly listing = new Listing(this);
	readonly audit = new Audit(this);
	readonly outbox = new Outbox(this);
	readonly deliveryLog = new DeliveryLog(this);
	readonly keys = new Keys(this);
	readonly tenants = new Tenants(this);
	readonly tokens = new Tokens(this);
	readonly organizations = new Organizations(this);
	readonly featureFlags = new FeatureFlags(this);
	readonly idempotency = new IdempotencyStore(this);
	readonly events = new Events(this);
	readonly webhooks = new Webhooks(this);
	readonly tasks = new Tasks(this);
	readonly dossiers = new Dossiers(this);
	readonly documents = new Documents(this);
	readonly portalUsers = new PortalUsers(this);
	readonly invitations = new Invitations(this);
	readonly sessions = new Sessions(this);
	readonly signIn = new SignIn(this);
	readonly deliveries = new Deliveries(this);
	readonly dueSoon = new DueSoonReminders(this);
	readonly dispatch = new Dispatcher(this);
	readonly #firstSwitches: Switches;
	readonly #firstDialect: Dialect;

	/** Opens a data folder that exists. Throws a sentence if it cannot be used. */
	constructor(
		dataDir: string,
		contract: Contract,
		options: ServiceOptions,
		{ switches, dialect }: { switches: Switches; dialect: Dialect },
	) {
		this.options = options;
		this.switches = { ...switches };
		this.#firstSwitches = { ...switches };
		this.dialect = dialect;
		this.#firstDialect = dialect;
		this.contract = contract;
		this.validation = new Validation(contract);
		const database = new Database(dataDir, options.isTemporary);
		this.database = database;
		this.clock = new Clock(readClockOffset(database));
		this.clock.onMove(() => storeClockOffset(database, this.clock.offset));
		this.secret = new Secret(dataDir, options.hasKnownKeys ? wellKnown : undefined);
		this.files = new Files(database, dataDir);
		this.journal = new Journal(this.clock);
		this.limits = new RateLimits(options.rateLimits, this.clock, this.switches);
		this.snapshots = new Snapshots(this, dataDir);
		this.sender = new WebhookSender(options.deliveryTimeoutMs);
		this.#start();
	}

	/** Replaces the state by that of a snapshot. Throws a RangeError if there is none with this name. */
	restore(name: string): void {
		this.#exchange(() => this.snapshots.restore(name));
		this.limits.clear();
	}

	/** Restores the state after the first start, keys and tokens included, and the switches of this start. */
	reset(): void {
		this.#exchange(() => this.snapshots.reset());
		this.limits.rule = this.options.rateLimits;
		this.limits.clear();
		this.faults.clear();
		this.webhookFaults.clear();
		this.journal.clear();
		Object.assign(this.switches, this.#firstSwitches);
		this.dialect = this.#firstDialect;
	}

	/** Exchanges the state while nothing is sent: results of deliveries in flight belong to the state before. */
	#exchange(work: () => void): void {
		this.#stop();
		try {
			work();
		} finally {
			this.#start();
		}
	}

	#start(): void {
		this.idempotency.removeExpired();
		this.dueSoon.start();
		this.dispatch.start();
	}

	#stop(): void {
		this.dueSoon.stop();
		this.dispatch.stop();
	}

	/** Creates what every sandbox has on its first start: two organizations and an operator. */
	initialize(): void {
		const create = () => {
			this.organizations.seeded();
			this.tokens.operatorToken();
		};
		if (this.options.hasKnownKeys) withSeededIds(wellKnown, create);
		else create();
	}

	/** Runs many writes in one transaction, which is faster than one each. The work must be synchronous. */
	batch(work: () => void): void {
		this.database.transaction(work);
	}

	close(): void {
		this.#stop();
		this.dispatch.close();
		this.database.close();
	}
}

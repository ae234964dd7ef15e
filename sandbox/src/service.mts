import { PublicIds } from './database/public-ids.mts';
import { Clock } from './platform/clock.mts';
import type { Contract } from './contract/contract.mts';
import type { Switches } from './contract/switches.mts';
import { Validation } from './contract/validation.mts';
import { Dispatcher } from './webhooks/dispatcher.mts';
import { DueSoonReminders } from './records/due-soon.mts';
import { WebhookFaults } from './webhooks/faults.mts';
import { WebhookSender } from './webhooks/sender.mts';
import { RequestFaults } from './requests/faults.mts';
import { Journal } from './requests/journal.mts';
import { RateLimits } from './requests/limits.mts';
import type { LimitRule } from './requests/limits.mts';
import { Audit } from './accounts/audit.mts';
import { Database } from './database/database.mts';
import { Deliveries } from './webhooks/deliveries.mts';
import { DeliveryLog } from './webhooks/delivery-log.mts';
import { Documents } from './records/documents.mts';
import { Dossiers } from './records/dossiers.mts';
import { Events } from './webhooks/events.mts';
import { FeatureFlags } from './accounts/feature-flags.mts';
import { Files } from './database/files.mts';
import { Invitations } from './portal/invitations.mts';
import { Keys } from './accounts/keys.mts';
import { Listing } from './database/listing.mts';
import { Organizations } from './accounts/organizations.mts';
import { Outbox } from './portal/outbox.mts';
import { PortalUsers } from './portal/portal-users.mts';
import { IdempotencyStore } from './requests/idempotency.mts';
import { withSeededIds } from './platform/ids.mts';
import { Secret } from './platform/secret.mts';
import { Sessions } from './portal/sessions.mts';
import { SignIn } from './portal/sign-in.mts';
import { FirstState, readClockOffset, storeClockOffset } from './database/first-state.mts';
import { Tasks } from './records/tasks.mts';
import { Tenants } from './accounts/tenants.mts';
import { Tokens } from './accounts/tokens.mts';
import { Webhooks } from './webhooks/webhooks.mts';

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
	/** Where the service is reached, such as `http://127.0.0.1:4170`; known once it listens. */
	url = '';
	readonly contract: Contract;
	/** How the service answers if the contract has alternatives. `Object.assign` changes it while the service runs. */
	readonly switches: Switches;
	readonly database: Database;
	readonly secret: Secret;
	readonly clock: Clock;
	readonly validation: Validation;
	readonly files: Files;
	readonly journal: Journal;
	readonly limits: RateLimits;
	readonly faults = new RequestFaults();
	readonly webhookFaults = new WebhookFaults();
	readonly firstState: FirstState;
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

	/** Opens a data folder that exists. Throws a sentence if it cannot be used. */
	constructor(dataDir: string, contract: Contract, options: ServiceOptions, switches: Switches) {
		this.options = options;
		this.switches = { ...switches };
		this.#firstSwitches = { ...switches };
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
		this.firstState = new FirstState(this, dataDir);
		this.sender = new WebhookSender(options.deliveryTimeoutMs);
		this.#start();
	}

	/** Restores the state after the first start, keys and tokens included, and the switches of this start. */
	reset(): void {
		// Nothing is sent meanwhile: results of deliveries in flight belong to the state before.
		this.#stop();
		try {
			this.firstState.restore();
		} finally {
			this.#start();
		}
		this.limits.rule = this.options.rateLimits;
		this.limits.clear();
		this.faults.clear();
		this.webhookFaults.clear();
		this.journal.clear();
		Object.assign(this.switches, this.#firstSwitches);
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

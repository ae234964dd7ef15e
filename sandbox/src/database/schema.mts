export const schemaVersion = 8;

const filtered = ['status', 'assignee_id', 'type', 'created_at', 'updated_at', 'search'];

/** Columns of text with these fields of a record. The database keeps them in step with `fields`. */
function derive(...names: string[]): string {
	return names.map((name) => `${name} TEXT AS (fields ->> '${name}') STORED`).join(', ');
}

/**
 * What is stored. `fields` holds a resource as the contract describes it, so that no field is defined twice; the other columns
 * are what the service itself looks up, filters or sorts by.
 *
 * A dataset is what one kind of key sees of one organization (A-23).
 *
 * The indexes for sorting also hold every column that can be filtered by: SQLite then finds and counts any page of 100,000 dossiers
 * without reading the dossiers.
 */
export const schema = `
CREATE TABLE organizations (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	plan TEXT NOT NULL CHECK (plan IN ('starter', 'business', 'enterprise')),
	seeded INTEGER NOT NULL
) STRICT;

CREATE TABLE datasets (
	n INTEGER PRIMARY KEY,
	organization_id TEXT NOT NULL REFERENCES organizations (id),
	kind TEXT NOT NULL CHECK (kind IN ('live', 'test')),
	user_id TEXT NOT NULL,
	UNIQUE (organization_id, kind)
) STRICT;

CREATE TABLE api_keys (
	id TEXT NOT NULL PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	key_hash TEXT NOT NULL UNIQUE,
	user_id TEXT NOT NULL,
	scopes TEXT NOT NULL,
	revoked INTEGER NOT NULL DEFAULT 0,
	-- A key that a seed file names; the others are derived.
	chosen TEXT
) STRICT;

CREATE TABLE dossiers (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT UNIQUE AS (fields ->> 'id') STORED,
	${derive('reference', 'title', 'status', 'type', 'assignee_id', 'due_at', 'created_at', 'updated_at')},
	search TEXT NOT NULL,
	document_count INTEGER NOT NULL DEFAULT 0,
	fields TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX dossiers_reference ON dossiers (dataset, reference) WHERE reference IS NOT NULL;
${['created_at', 'updated_at', 'due_at', 'title', 'reference', 'status']
	.map(
		(column) => `CREATE INDEX dossiers_by_${column} ON dossiers
	(dataset, ${[column, 'id', ...filtered.filter((one) => one !== column)].join(', ')});`,
	)
	.join('\n')}

CREATE TABLE documents (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	dossier INTEGER NOT NULL REFERENCES dossiers (n) ON DELETE CASCADE,
	id TEXT UNIQUE AS (fields ->> 'id') STORED,
	${derive('title', 'file_name', 'category', 'created_at', 'updated_at')},
	size_bytes INTEGER AS (fields ->> 'size_bytes') STORED,
	sha256 TEXT AS (fields ->> 'checksum_sha256') STORED,
	search TEXT NOT NULL,
	fields TEXT NOT NULL
) STRICT;
CREATE INDEX documents_of_content ON documents (sha256);
CREATE INDEX documents_of_dossier ON documents
	(dossier, created_at, id, category, file_name, title, size_bytes, updated_at, search);

CREATE TRIGGER document_added AFTER INSERT ON documents BEGIN
	UPDATE dossiers SET document_count = document_count + 1 WHERE n = new.dossier;
END;
CREATE TRIGGER document_removed AFTER DELETE ON documents BEGIN
	UPDATE dossiers SET document_count = document_count - 1 WHERE n = old.dossier;
END;

-- What the sandbox as a whole remembers.
CREATE TABLE settings (
	name TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE stored_responses (
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	key TEXT NOT NULL,
	content TEXT NOT NULL,
	status INTEGER NOT NULL,
	body TEXT NOT NULL,
	expires_at INTEGER NOT NULL,
	PRIMARY KEY (dataset, key)
) STRICT;
CREATE INDEX stored_responses_by_expiry ON stored_responses (expires_at);

CREATE TABLE tenants (
	n INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	organization_id TEXT NOT NULL UNIQUE REFERENCES organizations (id),
	name TEXT NOT NULL,
	created_at TEXT NOT NULL
) STRICT;

CREATE TABLE business_units (
	id TEXT NOT NULL PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	name TEXT NOT NULL
) STRICT;
CREATE INDEX business_units_of_tenant ON business_units (tenant_id);

-- Who signs in to /api/v1: the customers of a tenant, and the operators, who have none (A-32).
CREATE TABLE users (
	id TEXT NOT NULL PRIMARY KEY,
	tenant_id TEXT REFERENCES tenants (id),
	name TEXT NOT NULL,
	email TEXT NOT NULL
) STRICT;
CREATE INDEX users_of_tenant ON users (tenant_id);

CREATE TABLE tokens (
	token_hash TEXT NOT NULL PRIMARY KEY,
	user_id TEXT NOT NULL REFERENCES users (id),
	-- Milliseconds since 1970; null if it does not end.
	expires_at INTEGER
) STRICT;

CREATE TABLE feature_flags (
	key TEXT NOT NULL,
	tenant_id TEXT REFERENCES tenants (id),
	business_unit_id TEXT REFERENCES business_units (id),
	enabled INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX feature_flag ON feature_flags
	(key, ifnull(tenant_id, ''), ifnull(business_unit_id, ''));

CREATE TABLE tasks (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	dossier INTEGER REFERENCES dossiers (n) ON DELETE CASCADE,
	id TEXT UNIQUE AS (fields ->> 'id') STORED,
	${derive('dossier_id', 'title', 'status', 'priority', 'assignee_id', 'due_at', 'created_at', 'updated_at')},
	-- From 1 for low; the priorities sort by it.
	urgency INTEGER AS (instr('low normal high urgent', fields ->> 'priority')) STORED,
	-- Whether task.due_soon was emitted for this due_at.
	announced INTEGER NOT NULL DEFAULT 0,
	search TEXT NOT NULL,
	fields TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_by_created_at ON tasks
	(dataset, created_at, id, status, priority, dossier_id, assignee_id, due_at, updated_at, search);
CREATE INDEX tasks_of_dossier ON tasks (dossier);
CREATE INDEX tasks_to_announce ON tasks (due_at)
	WHERE announced = 0 AND due_at IS NOT NULL AND status NOT IN ('completed', 'cancelled');

CREATE TABLE audit_entries (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT UNIQUE AS (fields ->> 'id') STORED,
	${derive('action', 'created_at')},
	actor_id TEXT AS (fields ->> '$.actor.id') STORED,
	target_id TEXT AS (fields ->> '$.target.id') STORED,
	target_type TEXT AS (fields ->> '$.target.type') STORED,
	fields TEXT NOT NULL
) STRICT;
CREATE INDEX audit_entries_by_created_at ON audit_entries
	(dataset, created_at, n, action, actor_id, target_id, target_type);

-- The database itself keeps the audit log append-only (A-10).
CREATE TRIGGER audit_entry_unchanged BEFORE UPDATE ON audit_entries BEGIN
	SELECT raise(ABORT, 'The audit log is append-only.');
END;
CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entries BEGIN
	SELECT raise(ABORT, 'The audit log is append-only.');
END;

-- REPLACE removes rows without asking the trigger above.
CREATE TRIGGER audit_entry_not_replaced BEFORE INSERT ON audit_entries
WHEN EXISTS (SELECT 1 FROM audit_entries WHERE n = new.n OR id = new.id) BEGIN
	SELECT raise(ABORT, 'The audit log is append-only.');
END;

CREATE TABLE outbox (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	created_at TEXT NOT NULL,
	channel TEXT NOT NULL CHECK (channel IN ('mail', 'sms', 'qr')),
	recipient TEXT,
	subject TEXT,
	text TEXT NOT NULL,
	link TEXT,
	code TEXT,
	image TEXT
) STRICT;
CREATE INDEX outbox_to ON outbox (recipient);

CREATE TABLE portal_users (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT UNIQUE AS (fields ->> 'id') STORED,
	${derive('email', 'phone', 'last_name', 'status', 'invited_at', 'last_access_at')},
	-- The address as it is compared: in lower case.
	mailbox TEXT,
	search TEXT NOT NULL,
	fields TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX portal_users_mailbox ON portal_users (mailbox, dataset);
CREATE INDEX portal_users_phone ON portal_users (phone);
CREATE INDEX portal_users_by_invited_at ON portal_users (dataset, invited_at, id);

-- Which dossiers a user sees, in the order in which they were named.
CREATE TABLE portal_access (
	n INTEGER PRIMARY KEY,
	user INTEGER NOT NULL REFERENCES portal_users (n),
	dossier INTEGER NOT NULL REFERENCES dossiers (n) ON DELETE CASCADE,
	dossier_id TEXT NOT NULL,
	UNIQUE (user, dossier)
) STRICT;
CREATE INDEX portal_access_of_dossier ON portal_access (dossier);

-- Moments are in milliseconds since 1970 from here on.
CREATE TABLE invitations (
	id TEXT NOT NULL PRIMARY KEY,
	user INTEGER NOT NULL REFERENCES portal_users (n),
	token_hash TEXT NOT NULL UNIQUE,
	state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'revoked')),
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitations_of_user ON invitations (user);

-- An address that nobody has gets a row too: asking for it must take as long as asking for a known one.
CREATE TABLE sign_in_links (
	token_hash TEXT NOT NULL PRIMARY KEY,
	user INTEGER REFERENCES portal_users (n),
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_links_of_user ON sign_in_links (user, expires_at);

-- When a link was last asked for, by address, known or not. A row stays as long as it delays the next link.
CREATE TABLE link_requests (
	mailbox_hash TEXT NOT NULL PRIMARY KEY,
	sent_at INTEGER NOT NULL
) STRICT;
CREATE INDEX link_requests_by_time ON link_requests (sent_at);

-- A number that nobody has gets a row too: a caller must not be able to tell it from one that somebody has.
CREATE TABLE sms_challenges (
	id TEXT NOT NULL PRIMARY KEY,
	phone_hash TEXT NOT NULL UNIQUE,
	user INTEGER REFERENCES portal_users (n),
	code_hash TEXT NOT NULL,
	tries INTEGER NOT NULL DEFAULT 0,
	sent_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sms_challenges_of_user ON sms_challenges (user);

CREATE TABLE sessions (
	token_hash TEXT NOT NULL PRIMARY KEY,
	user INTEGER NOT NULL REFERENCES portal_users (n),
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_of_user ON sessions (user);

CREATE TABLE events (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT NOT NULL UNIQUE,
	kind TEXT NOT NULL,
	created_at TEXT NOT NULL,
	-- The bytes that are sent: the same on every attempt, to everybody.
	body TEXT NOT NULL
) STRICT;

CREATE TABLE webhooks (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT UNIQUE AS (fields ->> 'id') STORED,
	${derive('status', 'created_at')},
	secret TEXT NOT NULL,
	-- The secret before the last change, and until when (milliseconds since 1970) it still signs beside the new one.
	previous_secret TEXT,
	previous_until INTEGER,
	fields TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_by_created_at ON webhooks (dataset, created_at, id);

CREATE TABLE deliveries (
	n INTEGER PRIMARY KEY,
	webhook INTEGER NOT NULL REFERENCES webhooks (n) ON DELETE CASCADE,
	event INTEGER NOT NULL REFERENCES events (n),
	id TEXT NOT NULL UNIQUE,
	state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
	-- How often it was tried since it was first due, or since the last redelivery.
	tries INTEGER NOT NULL DEFAULT 0,
	-- How often somebody had it redelivered: the result of an attempt from an earlier round does not count.
	round INTEGER NOT NULL DEFAULT 0,
	-- When the next attempt is due, in milliseconds since 1970.
	due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_due ON deliveries (webhook, due_at, n) WHERE state = 'pending';
CREATE INDEX deliveries_of_webhook ON deliveries (webhook, n);
CREATE INDEX deliveries_of_event ON deliveries (event);

CREATE TABLE attempts (
	n INTEGER PRIMARY KEY,
	delivery INTEGER NOT NULL REFERENCES deliveries (n) ON DELETE CASCADE,
	fields TEXT NOT NULL
) STRICT;
CREATE INDEX attempts_of_delivery ON attempts (delivery);
`;

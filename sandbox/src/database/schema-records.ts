/** Tenants, tasks, the audit log and the outbox; `schema` holds the rest and says what `fields` and a dataset are. */
export const recordsSchema = `
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
	-- Milliseconds since 1970; null where it does not end.
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
	id TEXT NOT NULL UNIQUE,
	dossier_id TEXT,
	title TEXT NOT NULL,
	status TEXT NOT NULL,
	priority TEXT NOT NULL,
	-- From 0 for low to 3 for urgent.
	urgency INTEGER NOT NULL,
	assignee_id TEXT,
	due_at TEXT,
	-- Whether it was said that this due_at is near.
	announced INTEGER NOT NULL DEFAULT 0,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
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
	id TEXT NOT NULL UNIQUE,
	action TEXT NOT NULL,
	actor_id TEXT,
	target_id TEXT,
	target_type TEXT NOT NULL,
	created_at TEXT NOT NULL,
	fields TEXT NOT NULL
) STRICT;
CREATE INDEX audit_entries_by_created_at ON audit_entries
	(dataset, created_at, n, action, actor_id, target_id, target_type);

-- The audit log is append-only (A-10), whatever the program does.
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
`;

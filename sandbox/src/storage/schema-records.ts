/** People, tasks, the audit log and the outbox; `schema` holds the rest and says what `fields` and a dataset are. */
export const recordsSchema = `
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
CREATE TRIGGER audit_entry_kept BEFORE UPDATE ON audit_entries BEGIN
	SELECT raise(ABORT, 'The audit log is append-only.');
END;
CREATE TRIGGER audit_entry_not_removed BEFORE DELETE ON audit_entries BEGIN
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

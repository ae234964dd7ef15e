/** Events, who is told of them, and what became of telling them; `schema` holds the rest and says what a dataset is. */
export const webhooksSchema = `
CREATE TABLE events (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT NOT NULL UNIQUE,
	kind TEXT NOT NULL,
	created_at TEXT NOT NULL,
	-- The bytes that are sent: the same on every try, to everybody.
	body TEXT NOT NULL
) STRICT;

CREATE TABLE webhooks (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT NOT NULL UNIQUE,
	status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
	secret TEXT NOT NULL,
	-- The secret before the last change, and until when (milliseconds since 1970) it still signs beside the new one.
	previous_secret TEXT,
	previous_until INTEGER,
	created_at TEXT NOT NULL,
	fields TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_by_created_at ON webhooks (dataset, created_at, id);

CREATE TABLE deliveries (
	n INTEGER PRIMARY KEY,
	webhook INTEGER NOT NULL REFERENCES webhooks (n) ON DELETE CASCADE,
	event INTEGER NOT NULL REFERENCES events (n),
	id TEXT NOT NULL UNIQUE,
	state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
	-- How often it was tried since it was first due, or since it was asked for again.
	tries INTEGER NOT NULL DEFAULT 0,
	-- How often it was asked for again: a try that ends after that says nothing about the new round.
	round INTEGER NOT NULL DEFAULT 0,
	-- When the next try is due, in milliseconds since 1970.
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

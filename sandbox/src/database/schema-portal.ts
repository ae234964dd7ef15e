/** People of the portal and how they sign in; `schema` holds the rest and says what `fields` and a dataset are. */
export const portalSchema = `
CREATE TABLE portal_users (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT NOT NULL UNIQUE,
	email TEXT,
	-- The address as it is compared: in lower case.
	mailbox TEXT,
	phone TEXT,
	last_name TEXT,
	status TEXT NOT NULL CHECK (status IN ('invited', 'active', 'revoked')),
	invited_at TEXT NOT NULL,
	last_access_at TEXT,
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

-- Moments are in milliseconds since 1970 from here on. A row that is void, used or replaced is removed.
CREATE TABLE invitations (
	id TEXT NOT NULL PRIMARY KEY,
	user INTEGER NOT NULL REFERENCES portal_users (n),
	token_hash TEXT NOT NULL UNIQUE,
	state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'revoked')),
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitations_of_user ON invitations (user);

-- An address that nobody has gets a row as well, for nobody: asking for it must cost what asking for a known one does.
CREATE TABLE sign_in_links (
	token_hash TEXT NOT NULL PRIMARY KEY,
	user INTEGER REFERENCES portal_users (n),
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_links_of_user ON sign_in_links (user, expires_at);

-- When a link was last asked for, by address, known or not; kept as long as it makes the next one wait.
CREATE TABLE link_requests (
	mailbox_hash TEXT NOT NULL PRIMARY KEY,
	sent_at INTEGER NOT NULL
) STRICT;
CREATE INDEX link_requests_by_time ON link_requests (sent_at);

-- A number that nobody has gets a row as well: it must not be told from one that somebody has.
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
`;

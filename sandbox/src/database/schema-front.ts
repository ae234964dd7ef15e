/** What belongs to the sandbox as a whole and to its front door; `schema` holds the rest and says what a dataset is. */
export const frontSchema = `
CREATE TABLE settings (
	name TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE kept_answers (
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	key TEXT NOT NULL,
	content TEXT NOT NULL,
	status INTEGER NOT NULL,
	-- Encrypted: it may hold a token that lets somebody in.
	body BLOB NOT NULL,
	until INTEGER NOT NULL,
	PRIMARY KEY (dataset, key)
) STRICT;
CREATE INDEX kept_answers_until ON kept_answers (until);

-- The numbers that stand for identifiers where these are integers (A-02).
CREATE TABLE numbered_ids (
	n INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE
) STRICT;
`;

import { frontSchema } from './schema-front.ts';
import { portalSchema } from './schema-portal.ts';
import { recordsSchema } from './schema-records.ts';
import { webhooksSchema } from './schema-webhooks.ts';

export const schemaVersion = 3;

const filtered = ['status', 'assignee_id', 'type', 'created_at', 'updated_at', 'search'];

/**
 * What is stored. `fields` holds a resource as the contract describes it, so that no field is defined twice; the other columns
 * are what the service itself looks up, filters or sorts by.
 *
 * A dataset is what one kind of key sees of one organization (A-23).
 *
 * The indexes for sorting also carry every column that can be filtered by: any page of 100,000 dossiers is then found, and
 * counted, without reading the dossiers.
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
	revoked INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE dossiers (
	n INTEGER PRIMARY KEY,
	dataset INTEGER NOT NULL REFERENCES datasets (n),
	id TEXT NOT NULL UNIQUE,
	reference TEXT,
	title TEXT NOT NULL,
	status TEXT NOT NULL,
	type TEXT,
	assignee_id TEXT,
	due_at TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
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
	id TEXT NOT NULL UNIQUE,
	title TEXT NOT NULL,
	file_name TEXT NOT NULL,
	category TEXT NOT NULL,
	size_bytes INTEGER NOT NULL,
	sha256 TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
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

-- Files that are just being added or removed. What a killed process leaves here is settled at the next start.
CREATE TABLE unsettled_files (
	sha256 TEXT NOT NULL PRIMARY KEY
) STRICT;
${frontSchema}${recordsSchema}${portalSchema}${webhooksSchema}`;

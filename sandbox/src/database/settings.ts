import { text } from './database.ts';
import type { Database } from './database.ts';

/** What the sandbox as a whole remembers across restarts. */
export class Settings {
	readonly #database: Database;

	constructor(database: Database) {
		this.#database = database;
	}

	/** How far the clock is ahead of the machine's, in milliseconds. */
	clockOffset(): number {
		const row = this.#database.get("SELECT value FROM settings WHERE name = 'clock_offset'", []);
		return row ? Number(text(row.value)) : 0;
	}

	storeClockOffset(ms: number): void {
		this.#database.run(
			"INSERT INTO settings (name, value) VALUES ('clock_offset', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
			[String(ms)],
		);
	}
}

import type { Clock } from '../platform/clock.ts';
import type { Database } from '../database/database.ts';
import type { Events } from '../webhooks/events.ts';
import type { Tasks } from './tasks.ts';

/** How long before a task is due it is said to be due soon, in milliseconds. */
const ahead = 24 * 60 * 60 * 1000;
/** How long until what could not be written is written again, as when the disk was full, in milliseconds. */
const writingAgain = 1000;
/** The longest that a timer of Node can wait. */
const longestTimer = 2 ** 31 - 1;

interface DueSoonParts {
	database: Database;
	tasks: Tasks;
	events: Events;
	clock: Clock;
}

/** Says that a task is due soon: once, 24 hours before, by the service's clock, and anew when it was given another due date. */
export class DueSoonReminders {
	readonly #parts: DueSoonParts;
	readonly #stopListening: () => void;
	#timer: NodeJS.Timeout | undefined;
	#looking: NodeJS.Immediate | undefined;
	#running = false;

	constructor(parts: DueSoonParts) {
		this.#parts = parts;
		this.#stopListening = parts.clock.onMove(() => this.#look());
		// A task is written in a transaction that is not over yet.
		parts.tasks.onWrite(() => {
			if (this.#running) this.#looking ??= setImmediate(() => this.#look());
		});
	}

	/** Says what is to be said by now, and goes on so. */
	start(): void {
		this.#running = true;
		this.#look();
	}

	/** Says nothing more, and leaves the database alone. */
	stop(): void {
		this.#running = false;
		clearTimeout(this.#timer);
		clearImmediate(this.#looking);
		this.#looking = undefined;
	}

	close(): void {
		this.stop();
		this.#stopListening();
	}

	#look(): void {
		this.#looking = undefined;
		if (!this.#running) return;
		clearTimeout(this.#timer);
		try {
			this.#announce();
		} catch (error) {
			console.error('Tasks that are due soon could not be announced. Trying again.', error);
			this.#lookIn(writingAgain);
			return;
		}
		const dueAt = this.#parts.tasks.nextDueAt();
		if (dueAt !== undefined) {
			this.#lookIn(Date.parse(dueAt) - ahead - this.#parts.clock.now());
		}
	}

	#lookIn(ms: number): void {
		this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(0, ms), longestTimer));
		this.#timer.unref();
	}

	#announce(): void {
		const { database, tasks, events, clock } = this.#parts;
		const due = tasks.toAnnounce(new Date(clock.now() + ahead).toISOString());
		if (due.length === 0) return;
		const time = clock.iso();
		database.transaction(() => {
			for (const { n, dataset, fields } of due) {
				const { id, dossier_id, due_at, assignee_id } = fields;
				events.emit({ dataset, time }, 'task.due_soon', {
					task_id: id,
					dossier_id,
					due_at,
					assignee_id,
				});
				tasks.announced(n);
			}
		});
	}
}

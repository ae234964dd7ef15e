import type { Database } from '../database/database.mts';
import { isWriteFailure } from '../database/failures.mts';
import { day } from '../platform/clock.mts';
import type { Clock } from '../platform/clock.mts';
import type { Events } from '../webhooks/events.mts';
import type { Tasks } from './tasks.mts';
import { Part } from '../platform/part.mts';

/** How long before its due date a task is due soon. */
const leadTime = day;
/** How long to wait after a failed write, such as on a full disk, in milliseconds. */
const retryDelay = 1000;

interface DueSoonParts {
	database: Database;
	tasks: Tasks;
	events: Events;
	clock: Clock;
}

/** Emits `task.due_soon` once, 24 hours before a task is due by the service's clock, and again for a new due date. */
export class DueSoonReminders extends Part<DueSoonParts> {
	#cancel: (() => void) | undefined;
	#afterWrite: NodeJS.Immediate | undefined;
	#isRunning = false;

	constructor(parts: DueSoonParts) {
		super(parts);
		// Called within the transaction that writes a task.
		parts.tasks.onWrite = () => {
			if (this.#isRunning) this.#afterWrite ??= setImmediate(() => this.#emitDue());
		};
	}

	/** Emits the reminders that are due, then schedules the next one. */
	start(): void {
		this.#isRunning = true;
		this.#emitDue();
	}

	/** Emits nothing more, and leaves the database alone. */
	stop(): void {
		this.#isRunning = false;
		this.#cancel?.();
		clearImmediate(this.#afterWrite);
		this.#afterWrite = undefined;
	}

	/** When the next reminder is due, in milliseconds since 1970; nothing if no task has one. */
	nextAt(): number | undefined {
		const dueAt = this.parts.tasks.nextDueAt();
		return dueAt === undefined ? undefined : Date.parse(dueAt) - leadTime;
	}

	#emitDue(): void {
		this.#afterWrite = undefined;
		if (!this.#isRunning) return;
		this.#cancel?.();
		const { clock } = this.parts;
		try {
			this.#emitUntil(clock.now() + leadTime);
		} catch (error) {
			console.error('Reminders of tasks that are due soon could not be stored. Retrying.', error);
			const retry = setTimeout(() => this.#emitDue(), retryDelay);
			retry.unref();
			this.#cancel = () => clearTimeout(retry);
			return;
		}
		const next = this.nextAt();
		if (next === undefined) return;
		this.#cancel = clock.schedule(next, () => this.#emitDue());
	}

	#emitUntil(moment: number): void {
		const { database, tasks, events, clock } = this.parts;
		const due = tasks.findUnannounced(new Date(moment).toISOString());
		if (due.length === 0) return;
		const time = clock.iso();
		database.transaction(() => {
			for (const { n, dataset, fields } of due) {
				const { id, dossier_id, due_at, assignee_id } = fields;
				const data = { task_id: id, dossier_id, due_at, assignee_id };
				try {
					events.emit({ dataset, time }, 'task.due_soon', data);
				} catch (error) {
					if (isWriteFailure(error)) throw error;
					// One task must not stop the reminders of the others.
					console.error('A task cannot have a reminder.', error);
				}
				tasks.markAnnounced(n);
			}
		});
	}
}

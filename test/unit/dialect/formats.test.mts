import type { Dialect } from '../../../nodes/Dossier/dialect/schema';
import { parseDialect } from '../../../nodes/Dossier/dialect/check';
import { writeFilters } from '../../../nodes/Dossier/dialect/lists';
import { Translator } from '../../../nodes/Dossier/dialect/translate';

describe('A field with a format', () => {
	it('is a day in the timezone of the workflow, in records and filters', () => {
		const dialect: Dialect = { times: 'epochSeconds', task: { days: ['due_at'] } };
		expect(parseDialect(JSON.stringify(dialect)).problems).toBeUndefined();
		const service = new Translator(dialect, 'Europe/Berlin');
		const midnight = '2030-01-01T23:00:00.000Z';
		expect(service.writeBody('task', { due_at: midnight })).toEqual({ due_at: '2030-01-02' });
		expect(service.writeBody('task', { due_at: '2030-01-02' })).toEqual({ due_at: '2030-01-02' });
		expect(service.readRecord('task', { due_at: '2030-01-02' })).toEqual({ due_at: '2030-01-02' });
		// A service that leaves out the day itself must not leave out what is due earlier on it.
		const noon = '2030-01-02T11:00:00.000Z';
		expect(writeFilters(service, 'task', { due_after: noon, due_before: noon })).toEqual({
			due_after: '2030-01-02',
			due_before: '2030-01-03',
		});
		expect(writeFilters(service, 'task', { due_before: midnight })).toEqual({
			due_before: '2030-01-02',
		});
	});

	it('is a number in answers if the service writes 64 bits as text, and as it is in any other field', () => {
		const service = new Translator({ document: { fields: { size_bytes: 'length' } } });
		const sent = { id: '7', length: '1000', file_name: '7', pages: '3' };
		expect(service.readRecord('document', sent)).toEqual({
			id: '7',
			size_bytes: 1000,
			file_name: '7',
			pages: '3',
		});
		expect(service.readRecord('dossier', { document_count: '0' })).toEqual({ document_count: 0 });
	});
});

it('A parameter of the audit log has the words of the service', () => {
	const auditEntry = {
		filters: { target_type: 'entity' },
		values: { target_type: { document: 'DOC' }, format: { json: 'FORMAT_JSON' } },
	};
	expect(parseDialect(JSON.stringify({ auditEntry })).problems).toBeUndefined();
	const query = { target_type: 'document', format: 'json' };
	expect(writeFilters(new Translator({ auditEntry }), 'auditEntry', query)).toEqual({
		entity: 'DOC',
		format: 'FORMAT_JSON',
	});
});

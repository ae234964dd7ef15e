/** What the node does not send under a dialect. test/services does whole jobs with dialects. */
import type { INodeParameters } from 'n8n-workflow';
import { answerJson, readBody, useFakes } from '../fakeService.mts';
import { runDossier } from '../n8n.mts';
import { carry, speaking, uploadTo } from '../requests.mts';
import { byId } from '../service.mts';

const fake = useFakes();

const update = { operation: 'update' };
const create = { operation: 'create', title: 'New' };
const invitation = { operation: 'invite', email: 'jane@example.com', dossierIds: [] };

it.each<[INodeParameters, string]>([
	[{ resource: 'task', ...update, taskId: byId('1'), fields: { status: 'completed' } }, 'status'],
	[{ resource: 'task', ...create, fields: { status: 'pending' } }, 'status'],
	[
		{ resource: 'dossier', ...update, dossierId: byId('1'), fields: { addTags: 'a', title: 'A' } },
		'tags',
	],
	[{ resource: 'dossier', ...create, fields: { tags: 'a' } }, 'tags'],
	[
		{
			resource: 'dossier',
			operation: 'upsert',
			reference: 'R1',
			title: 'A',
			fields: { tags: 'a' },
		},
		'tags',
	],
	[{ ...uploadTo('1'), options: { title: 'A' } }, 'title'],
	[{ resource: 'portalUser', ...invitation, fields: { message: 'Hello' } }, 'message'],
])('refuses a value for a field that the dialect does not send: %j', async (given, field) => {
	const service = await fake({});
	const dialect = {
		task: { fields: { status: null } },
		dossier: { readOnly: ['tags'] },
		document: { fields: { title: null } },
		invitation: { fields: { message: null, dossier_ids: null } },
	};
	const { error } = await runDossier({
		parameters: given,
		credential: { ...service.credential, ...speaking(dialect) },
		items: [carry('a.txt')],
	});
	expect(error?.message).toContain(`does not have ${field}, or sets it itself`);
	expect(service.requests).toEqual([]);
});

it('sends an invitation by QR code without its default format if the service has no such field', async () => {
	const bodies: string[] = [];
	const fields = { qr_format: null, dossier_ids: null };
	const code = 'data:image/png;base64,iVBORw0KGgo=';
	const { credential } = await fake(async (request, response) => {
		bodies.push((await readBody(request)).toString());
		answerJson(response, 201, { id: 'inv_1', state: 'pending', qr: code });
	});
	const { error } = await runDossier({
		parameters: { resource: 'portalUser', operation: 'inviteQr' },
		credential: { ...credential, ...speaking({ invitation: { fields } }) },
	});
	expect(error).toBeUndefined();
	expect(bodies).toEqual(['{}']);
});

it('exports the audit log without a format if the service has no such parameter', async () => {
	const dialect = { naming: 'PascalCase', auditEntry: { filters: { format: null } } };
	const asked: Array<string | undefined> = [];
	const { credential } = await fake((request, response) => {
		asked.push(request.url);
		answerJson(response, 200, [{ id: '1', action: 'dossier.created' }]);
	});
	const { items, error } = await runDossier({
		parameters: { resource: 'auditLog', operation: 'export', exportAs: 'items' },
		credential: { ...credential, ...speaking(dialect) },
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(asked).toEqual(['/v1/audit-log/export']);
});

it('sends nothing with a dialect that cannot be used', async () => {
	const service = await fake({});
	const { error } = await runDossier({
		parameters: { resource: 'dossier', operation: 'create', title: 'One' },
		credential: {
			...service.credential,
			contractOverrides: true,
			dialect: '{\n"dossier": {"fields": {"titel": "name"}}}',
		},
	});
	expect(error?.message).toContain('line 2: `dossier.fields.titel` is not known; known are id, ');
	expect(error?.description).toContain("'Dialect'");
	expect(service.requests).toEqual([]);
});

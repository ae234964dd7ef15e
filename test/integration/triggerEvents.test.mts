/** Events of the sandbox, in a workflow that they start. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readBinary } from './n8n.mts';
import { runOn, uploadTo } from './requests.mts';
import { PROFILES, useService } from './service.mts';
import type { TriggerHost } from './triggerHost.mts';
import { deliver, event, postSigned } from './triggerSender.mts';
import { awaitExecutions, useTriggers } from './triggers.mts';

const { service, trigger, openManual, log } = useTriggers();

describe.each(PROFILES)('Events of the service under the profile %s', (profile) => {
	const own = useService({ profile });

	/** A trigger that the service calls: registered by itself if the service lets it, otherwise by a person (A-38). */
	async function called(parameters: INodeParameters = {}): Promise<TriggerHost> {
		if (profile === 'default') {
			const host = await trigger({ credential: own.credential, parameters });
			await host.activate();
			return host;
		}
		const credential = {
			...own.credential,
			contractOverrides: true,
			signatureScheme: profile === 'alternate' ? 'standard' : 'headers',
			webhookSecret: '',
		};
		const host = await trigger({
			credential,
			parameters: { registration: 'manual', ...parameters },
		});
		const { secret } = await own.sandbox.webhooks.create({
			organization_id: own.organization.id,
			environment: 'test',
			url: host.url,
			events: ['document.uploaded'],
		});
		credential.webhookSecret = secret;
		return host;
	}

	const newDossier = async () => (await own.create('/dossiers', { title: 'Events' })).id as string;

	/** Uploads through the node, which knows the format that this profile takes. */
	async function upload(dossier: string, category = 'invoice'): Promise<IDataObject> {
		const data = { fileName: 'Rechnung 請求書.txt', content: Buffer.from('content') };
		const { items, error } = await runOn(own, uploadTo(dossier, { category }), {
			items: [{ json: {}, files: { data } }],
		});
		if (error) throw error;
		return items[0]?.json ?? {};
	}

	it('run the workflow once, with the event of the service and the id of the delivery', async () => {
		const host = await called();
		const document = await upload(await newDossier());
		await awaitExecutions(host, 1);
		expect(host.executions[0]?.[0]?.json).toEqual({
			event: 'document.uploaded',
			created_at: expect.any(String),
			data: {
				document_id: document.id,
				dossier_id: document.dossier_id,
				uploaded_by: document.uploaded_by,
				category: 'invoice',
			},
			delivery: {
				id: profile === 'given-only' ? null : expect.any(String),
				key: expect.stringMatching(/^[\w-]{22}$/),
				received_at: expect.any(String),
				attempt: null,
			},
		});
	});

	it('have the file if that is chosen', async () => {
		const host = await called({ download: true, binaryPropertyName: 'file' });
		await upload(await newDossier());
		await awaitExecutions(host, 1);
		const binary = host.executions[0]?.[0]?.binary?.file;
		expect(binary?.fileName).toBe('Rechnung 請求書.txt');
		expect((await readBinary(binary)).toString()).toBe('content');
	});

	it('pass only if filters on dossiers and categories match', async () => {
		const dossier = await newDossier();
		const host = await called({ filters: { dossiers: [dossier], categories: 'tax' } });
		await upload(dossier, 'invoice');
		await upload(await newDossier(), 'tax');
		await upload(dossier, 'tax');
		await awaitExecutions(host, 1);
		expect(host.executions[0]?.[0]?.json).toMatchObject({
			data: { dossier_id: dossier, category: 'tax' },
		});
	});
});

describe('A filter that no event can pass', () => {
	it('says so when the workflow is published', async () => {
		const host = await trigger({ parameters: { options: { otherEvents: 'document.*' } } });
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringMatching(
				/^'Other Event Names' has "document\.\*", which is not the name/,
			),
		});
		const events = ['task.due_soon'];
		const other = await trigger({ parameters: { events, filters: { categories: 'tax' } } });
		await expect(other.activate()).rejects.toMatchObject({
			message: expect.stringMatching(
				/^No event would pass the filter 'Categories'\. Only documents/,
			),
		});
	});
});

describe('A filter that holds what no event has', () => {
	it.each([
		[{ events: ['any'] }, /^The field 'Events' has no choice "any"/],
		[{ filters: { categories: 'tax|invoice' } }, /^'Categories' has "tax\|invoice"/],
		[{ filters: { categories: '1. Tax\n2. Invoice' } }, /"1\. Tax" and "2\. Invoice"/],
		[{ filters: { categories: 'Tax / Invoice' } }, /^'Categories' has "Tax \/ Invoice"/],
		[{ filters: { categories: 'all' } }, /^'Categories' has "all"/],
		[{ filters: { categories: '={{ "null" }}' } }, /^'Categories' has "null"/],
		[{ filters: { categories: 'Identity Documents' } }, /^'Categories' has "Identity Documents"/],
		[
			{ filters: { dossiers: ['2026-001'] } },
			/^'Dossier Names or IDs': no record with the ID "2026/,
		],
		[{ filters: { dossiers: '*' } }, /no record with the ID "\*"/],
		[{ filters: { dossiers: ['a,b'] } }, /no record with the ID "a,b"/],
		[{ options: { otherEvents: 'dossier.' } }, /^'Other Event Names' has "dossier\."/],
	] as Array<[INodeParameters, RegExp]>)('is refused by its field: %j', async (form, message) => {
		const manual = await openManual(form);
		await expect(manual.activate()).rejects.toMatchObject({
			message: expect.stringMatching(message),
		});
	});

	it.each(['Power of Attorney', 'ＴＡＸ', 'identity_documents', 'Straße-2'])(
		'does not hold the category %j',
		async (categories) => {
			const host = await openManual({ filters: { categories } });
			await host.activate();
			expect((await deliver(host, event({ data: { category: categories } }))).status).toBe(200);
			await awaitExecutions(host, 1);
		},
	);
});

describe('An expression', () => {
	const failing = '={{ $("Nowhere").item.json.title }}';
	const told = (field: string) => new RegExp(`The expression in '${field}' cannot be computed: `);

	it.each([
		[{ events: failing }, 'Events'],
		[{ filters: { categories: failing } }, 'Categories'],
		[{ options: { otherEvents: failing } }, 'Other Event Names'],
		[{ registration: failing }, 'Registration'],
	])('that fails is told by its field when the workflow is published: %j', async (form, field) => {
		const host = await trigger({ parameters: form });
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringMatching(told(field)),
		});
	});

	it("that fails later refuses a delivery, and n8n's log names the field", async () => {
		const host = await openManual({ options: { responseBody: failing } });
		expect((await deliver(host, event())).status).toBe(401);
		expect(log).toEqual([expect.stringMatching(told('Response Body'))]);
		expect(host.thrown).toEqual([]);
	});

	it('gives the registration by its label, and another word is an error', async () => {
		const right = await openManual({ registration: '={{ "Manual" }}' });
		await right.activate();
		expect((await deliver(right, event())).status).toBe(200);
		const wrong = await openManual({ registration: '={{ "by hand" }}' });
		await expect(wrong.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/^The field 'Registration' has no choice "by hand"/),
		});
	});

	it('gives events by their labels, as JSON or one alone, and none is an error', async () => {
		for (const events of [
			'={{ "Document Uploaded; dossier.created" }}',
			'={{ ["document uploaded"] }}',
		]) {
			const host = await openManual({ events });
			const body = event({ about: events });
			expect((await deliver(host, body)).status).toBe(200);
			await awaitExecutions(host, 1);
		}
		const nothing = await trigger({ parameters: { events: '={{ [] }}' } });
		await expect(nothing.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/^The field 'Events' is empty/),
		});
		const signs = await trigger({ parameters: { filters: { categories: '-; –' } } });
		await expect(signs.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/^The field 'Categories' is empty/),
		});
	});
});

describe('Add Details', () => {
	const read = async (name: string, data: IDataObject) => {
		const host = await trigger({
			credential: { ...service.credential, webhookSecret: 'entered' },
			parameters: { registration: 'manual', events: ['*'], options: { addDetails: true } },
		});
		const body = JSON.stringify({ event: name, created_at: new Date().toISOString(), data });
		await postSigned(host.url, body, 'entered');
		await awaitExecutions(host, 1);
		return host.executions[0]?.[0]?.json ?? {};
	};
	const create = async (path: string, body: IDataObject) => {
		const { id } = await service.create(path, body);
		return id as string;
	};

	it('gives out the dossier, the document, the task and the portal user that an event names', async () => {
		const dossier_id = await create('/dossiers', { title: 'Detailed' });
		const { id: document_id } = await service.addDocument(dossier_id);
		const invited = await service.create('/portal/invite', {
			email: 'client@example.com',
			first_name: 'Grace',
			last_name: 'Client',
			dossier_ids: [dossier_id],
		});
		const { portal_user_id } = invited;
		const assigned = { title: 'Read it', dossier_id, assignee_id: portal_user_id };
		const task_id = await create('/tasks', assigned);

		expect((await read('document.uploaded', { document_id, dossier_id })).details).toMatchObject({
			dossier: { id: dossier_id, title: 'Detailed' },
			document: { id: document_id, file_name: 'a.txt' },
		});
		const assignee = { id: portal_user_id, name: 'Grace Client', email: 'client@example.com' };
		const due = { task_id, dossier_id, assignee_id: portal_user_id };
		expect((await read('task.due_soon', due)).details).toMatchObject({
			dossier: { id: dossier_id },
			task: { id: task_id, title: 'Read it', assignee },
			assignee,
		});
		const user = await read('portal.user_invited', { portal_user_id, dossier_ids: [dossier_id] });
		expect(user.details).toMatchObject({
			portal_user: { id: portal_user_id, email: 'client@example.com' },
			dossiers: [{ id: dossier_id }],
		});
		expect(user.details_error).toBeUndefined();
	});

	it('keeps the event, and says what could not be read', async () => {
		const dossier_id = await create('/dossiers', { title: 'There' });
		const gone = { document_id: 'doc_gone', dossier_id, task_id: 'tsk_gone' };
		expect(await read('document.uploaded', gone)).toMatchObject({
			data: gone,
			details: { dossier: { title: 'There' } },
			details_error: {
				document: { status: 404, code: 'DOCUMENT_NOT_FOUND' },
				task: { message: 'The service does not list tsk_gone' },
			},
		});
		// The document of a deletion is not asked for.
		const deleted = await read('document.deleted', { document_id: 'doc_gone', dossier_id });
		expect(deleted.details_error).toBeUndefined();
	});
});

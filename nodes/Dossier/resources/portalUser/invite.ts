import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toText } from '../../api/json';
import type { ItemRun, Operation } from '../../execution/operation';
import { asIds, asNumber, asObject, asText } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { jsonField, outputField, sortedCollection, textField } from '../../execution/fields';
import { Problem } from '../../problems/problem';
import { findInvited, refuseUnknown } from './refused';
import { findImage, HIDDEN_CODE, hideAccess } from './qrCode';

const dossiersField: INodeProperties = {
	displayName: 'Dossier Names or IDs',
	name: 'dossierIds',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getDossiers' },
	default: [],
	description:
		'The dossiers that the person will see; an expression may also name them by their references. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

const emailField: INodeProperties = textField(
	'Email',
	'email',
	'jane@example.com',
	'Email address of the person',
);

const moreFields: INodeProperties[] = [
	{
		displayName: 'Expires In (Days)',
		name: 'expiresInDays',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 14,
		description: 'How many days the invitation is valid. Without it, the service decides.',
	},
	{
		displayName: 'First Name',
		name: 'firstName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Jane',
	},
	jsonField,
	{
		displayName: 'Last Name',
		name: 'lastName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Doe',
	},
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		description: 'A personal message in the invitation',
	},
	textField(
		'Phone',
		'phone',
		'+49301234567',
		'With + and the country code, without spaces. The person can then sign in by SMS.',
	),
];

/** */
const inviteBody: Record<string, FieldMapping> = {
	email: { key: 'email', parse: asText },
	firstName: { key: 'first_name', parse: asText },
	lastName: { key: 'last_name', parse: asText },
	phone: { key: 'phone', parse: asText },
	message: { key: 'message', parse: asText },
	expiresInDays: { key: 'expires_in_days', parse: asNumber },
	furtherFields: { key: '', parse: asObject },
};

function buildInvitation({ parameters, api }: ItemRun, email?: string): IDataObject {
	const dossier_ids = asIds(parameters.raw('dossierIds'), 'dossierIds');
	const entered = { ...(email && { email }), ...parameters.body(inviteBody, 'fields') };
	const chosen = dossier_ids.length ? { dossier_ids } : {};
	api.translator.refuseUnsent('invitation', { ...chosen, ...entered });
	return { dossier_ids, ...entered };
}

const invitedField: INodeProperties = {
	displayName: 'If Already Invited',
	name: 'ifInvited',
	type: 'options',
	default: 'skip',
	options: [
		{ name: 'Fail', value: 'fail', description: 'Report an error' },
		{
			name: 'Skip',
			value: 'skip',
			description:
				"Return the portal user, if they see all of the dossiers. Report an error if they don't.",
		},
	],
	description:
		"What to do if the service refuses to invite the person because they have an open invitation or access already. With 'Skip', it is safe to run a list of invitations again.",
};

/** The fields of which each shows an invitation: that there is one, or whom it is for. */
const SHOWING = ['id', 'portal_user_id', 'email', 'phone', 'token', 'expires_at'];

/** Whether a value of an answer holds a text that is a web address, with which somebody can sign in. */
const hasAddress = (value: unknown): boolean =>
	typeof value === 'string'
		? /^https?:\/\/\S+$/i.test(value)
		: typeof value === 'object' && value !== null && Object.values(value).some(hasAddress);

/**
 * Refuses an answer that has a good status and shows no invitation: nobody may be invited.
 *
 * @throws Problem
 */
function requireShown(invitation: IDataObject, status: number): void {
	const isNamed = SHOWING.some((field) => toText(invitation[field]) !== undefined);
	if (!isNamed && !hasAddress(invitation)) throw new Problem('NOT_MADE_YET', { status });
}

export const invite: Operation = {
	name: 'Invite',
	value: 'invite',
	action: 'Invite portal user',
	description: 'Send someone an invitation to the portal by email',
	output: 'Invitation',
	addedOutput: { skipped: 'boolean' },
	fields: [
		{ ...emailField, required: true },
		dossiersField,
		invitedField,
		sortedCollection(
			'Additional Fields',
			'fields',
			'More about the person and the invitation. Fields left empty are not sent.',
			moreFields,
		),
	],
	async run(run) {
		const { parameters, api, isTool, note } = run;
		const body = buildInvitation(run, parameters.text('email'));
		const skips = parameters.choice(invitedField) === 'skip';
		const inviting = api.answer('portal.invite', { body });
		const { record, skipped } = await inviting.then(
			(answer) => {
				const invitation = api.readRecord('portal.invite', answer);
				requireShown(invitation, answer.status);
				return { record: invitation, skipped: false };
			},
			async (error: unknown) => {
				await refuseUnknown(run, error, body);
				const user = await findInvited(run, error, body);
				if (!user || !skips) throw error;
				note('invited before');
				return { record: { ...user, portal_user_id: user.id }, skipped: true };
			},
		);
		return { json: isTool ? (hideAccess(record) as IDataObject) : record, added: { skipped } };
	},
};

const qrFormatField: INodeProperties = {
	displayName: 'Image Format',
	name: 'qrFormat',
	type: 'options',
	default: 'png',
	options: [
		{ name: 'PNG', value: 'png', description: 'For emails and documents' },
		{ name: 'SVG', value: 'svg', description: 'For print, sharp at any size' },
	],
	description: 'Format of the QR code',
};

export const inviteByQr: Operation = {
	name: 'Invite by QR',
	value: 'inviteQr',
	action: 'Invite portal user by QR',
	description: 'Create an invitation as a QR code to show, print or send',
	output: 'QrInvitation',
	fields: [
		dossiersField,
		qrFormatField,
		outputField,
		sortedCollection(
			'Additional Fields',
			'fields',
			'More about the person and the invitation. Fields left empty are not sent.',
			[
				{ ...emailField, description: 'Email address of the person, if it is known' },
				...moreFields,
			],
		),
	],
	async run(run) {
		const { parameters, api, files, isTool, note } = run;
		const field = isTool ? '' : parameters.text('binaryPropertyName');
		const format = isTool ? 'png' : parameters.choice(qrFormatField);
		const body = buildInvitation(run);
		const answer = await api
			.callForImage('portal.inviteQr', { body: { qr_format: format, ...body } })
			.catch(async (error: unknown) => {
				await refuseUnknown(run, error, body);
				throw error;
			});
		const image = answer.image ?? findImage(answer.record);
		if (!image) requireShown(answer.record, answer.status);
		if (isTool) return { json: { ...(hideAccess(answer.record) as IDataObject), qr: HIDDEN_CODE } };
		// The invitation is made, and its link may be in the answer.
		if (!image) {
			note('without QR code');
			return { json: answer.record };
		}
		const extension = image.mimeType.includes('svg') ? 'svg' : 'png';
		const binary = await files.store(image.content, `invitation.${extension}`, image.mimeType);
		return { json: answer.record, binary: { [field]: binary } };
	},
};

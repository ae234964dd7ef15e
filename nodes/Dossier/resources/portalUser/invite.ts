import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isObject } from '../../dialect/paths';
import type { ItemRun, Operation } from '../../execution/operation';
import { asIds, asNumber, asObject, asText } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { jsonField, outputField, sortedCollection, textField } from '../../execution/fields';

const dossiersField: INodeProperties = {
	displayName: 'Dossier Names or IDs',
	name: 'dossierIds',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getDossiers' },
	default: [],
	description:
		'The dossiers that the person will see. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
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

export const invite: Operation = {
	name: 'Invite',
	value: 'invite',
	action: 'Invite portal user',
	description: 'Send someone an invitation to the portal by email',
	output: 'Invitation',
	fields: [
		{ ...emailField, required: true },
		dossiersField,
		sortedCollection(
			'Additional Fields',
			'fields',
			'More about the person and the invitation. Fields left empty are not sent.',
			moreFields,
		),
	],
	async run(run) {
		const { parameters, api, isTool } = run;
		const body = buildInvitation(run, parameters.text('email'));
		const answer = await api.call('portal.invite', { body });
		return { json: isTool ? (hideAccess(answer) as IDataObject) : answer };
	},
};

const DATA_ADDRESS = /^data:(image\/[\w+.-]+)((?:;[\w=+.-]+)*),(.*)$/s;

interface QrImage {
	content: Buffer;
	mimeType: string;
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const SVG_BEGINNING = /^\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?(<!DOCTYPE[^>]*>\s*)?<svg[\s>]/s;

/** A text of an answer as an image, by what it contains: a data URL, or a PNG or an SVG, also in base64. */
function readImage(text: string): QrImage | undefined {
	const [, type, options, data] = text.match(DATA_ADDRESS) ?? [];
	if (type && data !== undefined) {
		const content = options?.includes(';base64')
			? Buffer.from(data, 'base64')
			: Buffer.from(data.replace(/(%[\da-f]{2})+/gi, decodeURIComponent));
		return { content, mimeType: type };
	}
	const decoded = Buffer.from(text, 'base64');
	const isPng = decoded.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
	if (isPng) return { content: decoded, mimeType: 'image/png' };
	const content = [Buffer.from(text), decoded].find((one) =>
		SVG_BEGINNING.test(one.toString('utf8')),
	);
	return content && { content, mimeType: 'image/svg+xml' };
}

/** The image in an answer, whatever the service calls it. */
const findImage = (answer: unknown): QrImage | undefined =>
	typeof answer === 'string'
		? readImage(answer)
		: isObject(answer)
			? Object.values(answer).map(findImage).find(Boolean)
			: undefined;

/** Replaces the QR code, with which anybody can sign in. */
const HIDDEN_CODE =
	'The invitation was made. Its QR code is not visible here: tell the user to show it in the service.';

const HIDDEN_ADDRESS = 'The address of the invitation is not visible here.';

/** An answer for a model: without images and web addresses, in any depth, since either may let anybody sign in. */
const hideAccess = (value: unknown): unknown => {
	if (typeof value === 'string') {
		return readImage(value) ? HIDDEN_CODE : value.replace(/\bhttps?:\/\/\S+/gi, HIDDEN_ADDRESS);
	}
	if (Array.isArray(value)) return value.map(hideAccess);
	if (!isObject(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, hideAccess(held)]));
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
		const answer = await api.callForImage('portal.inviteQr', {
			body: { qr_format: format, ...buildInvitation(run) },
		});
		const image = answer.image ?? findImage(answer.record);
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

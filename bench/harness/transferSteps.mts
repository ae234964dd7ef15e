import type { INodeParameters } from 'n8n-workflow';
import { byId, dossierStep } from '../../scripts/host/steps.mts';
import type { Step } from '../../scripts/host/steps.mts';
import type { Member } from './stage.mts';

/** The newest version of n8n's HTTP Request node in the host. */
const HTTP_REQUEST = { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.5 };

/** Waits for some seconds. */
export const waitFor = (seconds: number): Step => ({
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { amount: seconds, unit: 'seconds' },
});

/** A step of n8n's HTTP Request node with the same credential, as n8n offers for every service. */
const httpStep = (name: string, { credential }: Member, parameters: INodeParameters): Step => ({
	name,
	...HTTP_REQUEST,
	parameters: {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'dossierApi',
		...parameters,
	},
	credentials: { dossierApi: credential },
});

/** An upload, however it is sent. */
export interface UploadStep {
	name: string;
	member: Member;
	dossier: string;
}

/** Uploads the file of each item with the Dossier node. */
export const dossierUpload = (
	{ name, member, dossier }: UploadStep,
	{ format = 'auto', ...others }: { format?: string; concurrentRequests?: number } = {},
): Step =>
	dossierStep(name, member.credential, {
		resource: 'document',
		operation: 'upload',
		dossierId: byId(dossier),
		filesFrom: 'named',
		binaryPropertyName: 'data',
		category: 'other',
		ifExists: 'upload',
		options: { format, ...others },
	});

/** Uploads the file at a web address with the Dossier node. */
export function dossierUploadFrom(
	address: string,
	upload: UploadStep,
	options: { format: string },
): Step {
	const step = dossierUpload(upload, options);
	return { ...step, parameters: { ...step.parameters, filesFrom: 'url', fileUrl: address } };
}

/** Uploads the file of each item with n8n's HTTP Request node, as a form. */
export const httpUpload = ({ name, member, dossier }: UploadStep, base: string): Step =>
	httpStep(name, member, {
		method: 'POST',
		url: `${base}/dossiers/${dossier}/documents`,
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [
				{ parameterType: 'formData', name: 'category', value: 'other' },
				{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
			],
		},
		options: {},
	});

/** A download, whichever node does it. */
export interface DownloadStep {
	name: string;
	member: Member;
	document: string;
}

export const dossierDownload = ({ name, member, document }: DownloadStep): Step =>
	dossierStep(name, member.credential, {
		resource: 'document',
		operation: 'download',
		documentId: byId(document),
		binaryPropertyName: 'data',
	});

/** Downloads with n8n's HTTP Request node, as a file. */
export const httpDownload = ({ name, member, document }: DownloadStep, base: string): Step =>
	httpStep(name, member, {
		url: `${base}/documents/${document}/download`,
		options: { response: { response: { responseFormat: 'file', outputPropertyName: 'data' } } },
	});

/** Reads all dossiers with the Dossier node. */
export const dossierList = (name: string, member: Member): Step =>
	dossierStep(name, member.credential, {
		resource: 'dossier',
		operation: 'getAll',
		returnAll: true,
	});

/** Reads all pages of a list with n8n's HTTP Request node, one item for each page. */
export const httpPages = (name: string, member: Member, url: string): Step =>
	httpStep(name, member, {
		url,
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'per_page', value: '100' }] },
		options: {
			pagination: {
				pagination: {
					paginationMode: 'updateAParameterInEachRequest',
					parameters: {
						parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }],
					},
					paginationCompleteWhen: 'other',
					completeExpression: '={{ !$response.body.pagination.has_more }}',
				},
			},
		},
	});

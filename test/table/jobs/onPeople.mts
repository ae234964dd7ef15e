/** Portal users and their sign-in, the audit log, the workspace and its operators. */
import type { INodeParameters } from 'n8n-workflow';
import { LISTED } from '../service/holdings.mts';
import {
	mark,
	locateById,
	baseUrl,
	EVERY_RECORD,
	givesList,
	givesDeleted,
	countRecords,
	countDeletions,
} from './job.mts';
import type { Job } from './job.mts';

const asks = (operation: string, call: string, fields: INodeParameters): Job => ({
	operation: `portalSignIn/${operation}`,
	parameters: { baseUrlFrom: 'form', baseUrl, ...fields },
	calls: [call],
	creates: true,
	done: (holdings, own) =>
		holdings.signIns.filter((asked) => JSON.stringify(asked).includes(own)).length,
	gives: ([output]) => output?.json.status === 'sent',
});

export const onPeople: Job[] = [
	{
		operation: 'portalUser/getAll',
		parameters: { ...EVERY_RECORD, filters: { search: mark } },
		calls: ['portal.users.list'],
		gives: givesList('usr'),
	},
	{
		operation: 'portalUser/invite',
		parameters: { email: '={{ $json.mark }}@example.com', dossierIds: [], fields: {} },
		calls: ['portal.invite'],
		creates: true,
		done: ({ invitations }, own) => countRecords(invitations, 'email', `${own}@example.com`),
		gives: ([output]) => output?.json.state === 'pending',
	},
	{
		operation: 'portalUser/inviteQr',
		parameters: {
			dossierIds: [],
			qrFormat: 'png',
			binaryPropertyName: 'data',
			fields: { email: '={{ $json.mark }}@example.com' },
		},
		calls: ['portal.inviteQr'],
		creates: true,
		file: 'out',
		done: ({ invitations }, own) => countRecords(invitations, 'email', `${own}@example.com`),
		gives: async ([output], _, read) =>
			output?.json.state === 'pending' && (await read(output)).toString('latin1').includes('PNG'),
	},
	{
		operation: 'portalUser/remove',
		parameters: { portalUserId: locateById('usr'), deleteLimit: 10 },
		calls: ['portal.users.delete'],
		done: countDeletions('usr'),
		gives: givesDeleted('usr'),
	},
	{
		operation: 'auditLog/getAll',
		parameters: { ...EVERY_RECORD, filters: { action: '=action.{{ $json.mark }}' } },
		calls: ['audit.list'],
		gives: ([output, ...others], own) =>
			output?.json.action === `action.${own}` && others.length === 0,
	},
	asks('sendMagicLink', 'portal.auth.magicLink', { email: '={{ $json.mark }}@example.com' }),
	asks('redeemMagicLink', 'portal.auth.magicLink', { token: mark }),
	asks('sendSmsCode', 'portal.auth.smsOtp', { phone: mark }),
	asks('verifySmsCode', 'portal.auth.smsOtp', { challengeId: mark, code: '042137' }),
	{
		operation: 'workspace/getBootstrap',
		as: 'customer',
		parameters: {},
		calls: ['workspace.bootstrap'],
		single: true,
		gives: ([output]) => output?.json.plan === 'enterprise',
	},
	{
		operation: 'administration/getAll',
		as: 'operator',
		parameters: { returnAll: false, limit: '={{ $json.limit }}', output: 'raw' },
		calls: ['admin.tenants.list'],
		gives: (outputs) => outputs.length === LISTED,
	},
	{
		operation: 'administration/setFeatureFlag',
		as: 'operator',
		parameters: { key: '=flag-{{ $json.mark }}', enabled: true, fields: {} },
		calls: ['admin.featureFlags.set'],
		creates: true,
		done: ({ flags }, own) => countRecords(flags, 'key', `flag-${own}`),
		gives: ([output], own) => output?.json.key === `flag-${own}`,
	},
	{
		operation: 'service/checkHealth',
		parameters: { baseUrlFrom: 'form', baseUrl },
		calls: ['health.get'],
		gives: ([output]) => output?.json.status === 'ok',
	},
];

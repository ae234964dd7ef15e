import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../../api/client';
import { check } from './check';
import { report } from './report';

/** Checks the contract of the service, and gives the items of the report. */
export const checkAndReport = async (api: Api, isWriting: boolean): Promise<IDataObject[]> =>
	report(await check(api, isWriting));

import type { IDataObject } from 'n8n-workflow';
import type { DossierCredential } from '../api/address';
import type { Api } from '../api/client';
import { toText } from '../api/values';
import { contract } from '../dialect/contract';
import { isObject } from '../dialect/paths';
import { ANY_EVENT } from './event';
import type { Kind, Owner } from './owner';

/** What n8n stores about a registration. It contains nothing that could sign a delivery. */
export interface Registration {
	/** Names the service, the organization and the environment that it was made for. */
	service: string;
	id: string;
	address: string;
	events: string[];
	/** Identifies the secret that it was registered with. */
	secretId: string;
	/** A secret that the service chose, encrypted with one of the credential. */
	sealed?: string;
}

/** Names the service, the organization and the environment that a credential leads to. */
export const nameService = ({ api, credential }: { api: Api; credential: DossierCredential }) =>
	JSON.stringify([api.root, credential.organizationId, api.isLive]);

function readStored(staticData: IDataObject): IDataObject {
	return isObject(staticData.registrations) ? staticData.registrations : {};
}

/** Reads the stored registration of this node; `undefined` also if the record belongs to another node, e.g. after an import. */
export function readRegistration(
	staticData: IDataObject,
	owner: Owner,
	kind: Kind,
): Registration | undefined {
	const stored = readStored(staticData)[kind];
	if (!isObject(stored)) return undefined;
	if (stored.workflow !== owner.workflow || stored.node !== owner.node) return undefined;
	return {
		service: toText(stored.service) ?? '',
		id: toText(stored.id) ?? '',
		address: toText(stored.address) ?? '',
		events: Array.isArray(stored.events) ? stored.events.map(String) : [],
		secretId: toText(stored.secretId) ?? '',
		...(typeof stored.sealed === 'string' && { sealed: stored.sealed }),
	};
}

/** Stores a registration, or forgets it. Only registering and unregistering write, because n8n saves static data as a whole. */
export function storeRegistration(
	staticData: IDataObject,
	owner: Owner,
	kind: Kind,
	registration: Registration | undefined,
): void {
	const { workflow, node } = owner;
	const others = Object.entries(readStored(staticData)).filter(([name]) => name !== kind);
	staticData.registrations = {
		...Object.fromEntries(others),
		...(registration && { [kind]: { workflow, node, ...registration } }),
	};
}

/** An address without differences that a service may make when it writes it back. */
function normalizeAddress(address: string): string {
	if (!URL.canParse(address)) return address;
	const { origin, pathname } = new URL(address);
	const path = pathname.replace(/\/+$/, '').replace(/%[0-9a-f]{2}/gi, (octet) => {
		const character = String.fromCharCode(parseInt(octet.slice(1), 16));
		return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
	});
	return origin + path;
}

export const isSameAddress = (a: string, b: string): boolean =>
	normalizeAddress(a) === normalizeAddress(b);

/** The events to register for: every known kind if any is wanted, and names typed by hand; each once. */
export function listEvents(chosen: string[], typed: string[]): string[] {
	const known = chosen.includes(ANY_EVENT) ? contract.events : chosen;
	return [...new Set([...known, ...typed])];
}

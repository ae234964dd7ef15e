import type { components } from '../../../../contract/generated/control.mts';

type Schemas = components['schemas'];

/** Organizations and records to begin with, as `contract/control.yaml` describes them. */
export type Seed = Schemas['Seed'];
export type SeedOrganization = Schemas['SeedOrganization'];
export type SeedRecords = Schemas['SeedRecords'];
export type SeedDocument = Schemas['SeedDocument'];

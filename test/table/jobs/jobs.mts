/** Every operation of the node as work. */
import { onFiles } from './onFiles.mts';
import { onPeople } from './onPeople.mts';
import { onRecords } from './onRecords.mts';

export const jobs = [...onRecords, ...onFiles, ...onPeople];

/** Every operation of the node as work. */
import { onFiles } from './onFiles';
import { onPeople } from './onPeople';
import { onRecords } from './onRecords';

export const jobs = [...onRecords, ...onFiles, ...onPeople];

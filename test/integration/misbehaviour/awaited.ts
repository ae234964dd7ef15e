/** Rows that the connector does not keep yet, by misbehaviour and by the work that meets it. */
import type { Row } from './table/misbehaviour';

const AWAITED: Array<[misbehaviour: RegExp, work: RegExp]> = [
	[/empty 200|envelope that nobody knows/, /./],
	[
		/^compresses|^cuts|^is (always )?silent|^announces 10/,
		/download|inviteQr|as a file|files\.get/,
	],
	[/429|503|closes the connection|^drips/, /files\.get/],
	[/web page and 200/, /as a file/],
	[/the file/, /./],
	[/error object and 200|with an empty list|another checksum|byte order mark/, /./],
	[/lead from the second page/, /administration/],
	[/^moves the file|relative address of|^names the file|^cuts the file/, /./],
	[/another size/, /workspace/],
];

export const isAwaited = ({ name, misbehaviour }: Pick<Row, 'name' | 'misbehaviour'>) =>
	AWAITED.some(([which, work]) => which.test(misbehaviour.name) && work.test(name));

/** Rows that the connector does not keep yet, by misbehaviour and by the work that meets it. */
import type { Row } from './table/misbehaviour';

const AWAITED: Array<[misbehaviour: RegExp, work: RegExp]> = [
	[/empty 200|envelope that nobody knows/, /./],
	[/web page and 200/, /as a file/],
	[/error object and 200|with an empty list/, /./],
	[/lead from the second page/, /administration/],
];

export const isAwaited = ({ name, misbehaviour }: Pick<Row, 'name' | 'misbehaviour'>) =>
	AWAITED.some(([which, work]) => which.test(misbehaviour.name) && work.test(name));

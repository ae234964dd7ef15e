/** What Check Contract reads from refusals in the manner of real services. */
import { readComplaints } from '../../../nodes/Dossier/resources/service/check/ask';

const error = (message: string, more: object = {}) => ({
	error: { code: 'BAD', message, status: 400, ...more },
});

const missing: Array<[what: string, body: object, path: string]> = [
	['a sentence about a field', error('The Title field is required.'), 'Title'],
	['a target beside the sentence', error('It is required.', { target: 'Title' }), 'Title'],
	[
		'a list of names beside the sentence',
		error('Required fields are missing: [Subject]', { fields: ['Subject'] }),
		'Subject',
	],
	['a sentence that ends with the name', error('Value missing for Dossier: subject'), 'subject'],
	['an object that is missing', error('Parameter dossier is required'), 'dossier'],
	[
		'lists of objects by field',
		error('Record validation errors', {
			details: { subject: [{ description: 'cannot be blank', error: 'BlankValue' }] },
		}),
		'subject',
	],
	[
		'an entry that names the object before the field',
		error('Validation failed', {
			errors: [{ objectName: 'dossier', field: 'title', defaultMessage: 'must not be blank' }],
		}),
		'title',
	],
	[
		'German details',
		error('Ungültig', { details: [{ feld: 'betreff', meldung: 'ist ein Pflichtfeld' }] }),
		'betreff',
	],
	['a German sentence', error("Das Pflichtfeld 'betreff' fehlt."), 'betreff'],
];

it.each(missing)('reads the missing field from %s', (_, body, path) => {
	expect(readComplaints(body)).toEqual([
		expect.objectContaining({ path, isMissing: true, isUnknown: false }),
	]);
});

const unknown: Array<[body: object, path: string]> = [
	[error("The property 'title' does not exist on type 'Dossier'."), 'title'],
	[error("The query parameter '$sort' is not supported as an unknown option."), '$sort'],
	[error("No such column 'title' on sobject of type Case"), 'title'],
	[error("Das Feld 'title' ist unbekannt."), 'title'],
];

it.each(unknown)('reads the unknown field from %j', (body, path) => {
	expect(readComplaints(body)).toEqual([
		expect.objectContaining({ path, isMissing: false, isUnknown: true }),
	]);
});

const choices = [
	'Status cannot be "x". It should be one of "Open", "Closed"',
	'"x" is not one of the values accepted for Enum class: [Open, Closed]',
	"Ungültiger Wert 'x' für 'status'. Erlaubt sind: Open, Closed",
];

it.each(choices)('reads the allowed words from: %s', (sentence) => {
	expect(readComplaints(error(sentence))[0]?.choices).toEqual(['Open', 'Closed']);
});

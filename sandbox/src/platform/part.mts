/** A part of the service, which works with other parts of it. It reads them from the service when it is called. */
export abstract class Part<Parts> {
	protected readonly parts: Parts;

	constructor(parts: Parts) {
		this.parts = parts;
	}
}

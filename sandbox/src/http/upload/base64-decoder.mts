/** Decodes base64 (RFC 4648, section 4, with padding, no line breaks) that arrives in chunks of any size. */
export class Base64Decoder {
	/** The beginning of a group of four characters. */
	#rest = '';
	#isPadded = false;
	#isValid = true;

	/** The bytes that the text adds; none once the text is invalid. */
	write(text: Buffer): Buffer {
		const whole = this.#rest + text.toString('latin1');
		const length = whole.length - (whole.length % 4);
		const groups = whole.slice(0, length);
		this.#rest = whole.slice(length);
		if (this.#isPadded && whole !== '') this.#isValid = false;
		if (!this.#isValid || length === 0) return Buffer.alloc(0);
		// The decoder skips what is not base64, which the length reveals, and accepts the URL-safe alphabet.
		const bytes = Buffer.from(groups, 'base64');
		const pads = groups.endsWith('==') ? 2 : Number(groups.endsWith('='));
		this.#isPadded = pads > 0;
		this.#isValid =
			bytes.length === (length / 4) * 3 - pads && !groups.includes('-') && !groups.includes('_');
		return this.#isValid ? bytes : Buffer.alloc(0);
	}

	/** Whether the text that came was base64 from the first to the last character. */
	end(): boolean {
		return this.#isValid && this.#rest === '';
	}
}

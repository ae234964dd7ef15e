const equalsSign = 0x3d;
const minus = 0x2d;
const underscore = 0x5f;

/** Decodes base64 (RFC 4648, section 4, with padding, no line breaks) that arrives in chunks of any size. */
export class Base64Decoder {
	#left = Buffer.alloc(0);
	#decoded = Buffer.alloc(0);
	#padded = false;
	#valid = true;

	/** Whether everything so far can be the beginning of base64. */
	get valid(): boolean {
		return this.#valid;
	}

	/**
	 * The bytes that the text adds. The next call overwrites them: the decoder needs one buffer, however large the file is. Gives no
	 * bytes once the text is invalid.
	 */
	write(text: Buffer): Buffer {
		const whole = this.#left.length > 0 ? Buffer.concat([this.#left, text]) : text;
		const length = whole.length - (whole.length % 4);
		this.#left = Buffer.from(whole.subarray(length));
		if (this.#padded && whole.length > 0) this.#valid = false;
		if (!this.#valid || length === 0) return Buffer.alloc(0);

		const quads = whole.subarray(0, length);
		const padding = quads.indexOf(equalsSign);
		const pads = padding === -1 ? 0 : length - padding;
		this.#padded = pads > 0;
		// The native decoder is fast but lenient: it skips what is not base64, which the length reveals, and it accepts the
		// URL-safe alphabet, which is checked separately.
		const room = (length / 4) * 3;
		if (this.#decoded.length < room) this.#decoded = Buffer.allocUnsafe(room);
		const count = this.#decoded.write(quads.toString('latin1'), 'base64');
		this.#valid =
			count === room - pads &&
			(pads < 2 || (pads === 2 && quads[length - 1] === equalsSign)) &&
			!quads.includes(minus) &&
			!quads.includes(underscore);
		return this.#decoded.subarray(0, this.#valid ? count : 0);
	}

	/** Whether the text that came was base64 from the first to the last character. */
	end(): boolean {
		return this.#valid && this.#left.length === 0;
	}
}

/** The type of the values that a JSON Schema accepts, for the keywords that dialect/schema.ts uses. */
export type FromSchema<S> = S extends { enum: ReadonlyArray<infer V> }
	? V
	: S extends { type: readonly ['string', 'null'] }
		? string | null
		: S extends { type: readonly ['string', 'integer'] }
			? string | number
			: S extends { type: 'string' }
				? string
				: S extends { type: 'integer' }
					? number
					: S extends { type: 'boolean' }
						? boolean
						: S extends { type: 'array'; items: infer I }
							? Array<FromSchema<I>>
							: S extends { properties: infer P }
								? { -readonly [K in keyof P]?: FromSchema<P[K]> }
								: S extends { additionalProperties: infer A }
									? Record<string, FromSchema<A>>
									: never;

import { fileSentences } from './files';
import { inputSentences } from './input';
import type { Sentences } from './labels';
import { registrationSentences, serviceSentences } from './service';

/** The sentences for every problem of this package. */
export const catalogue: Sentences = {
	...serviceSentences,
	...registrationSentences,
	...fileSentences,
	...inputSentences,
	UNEXPECTED: {
		message: ({ reason }) => reason,
		hint: ({ advice }) => advice ?? null,
	},
};

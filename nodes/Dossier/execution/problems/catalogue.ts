import { fileSentences } from './files';
import { inputSentences } from './input';
import type { Sentences } from './labels';
import { registrationSentences, serviceSentences } from './service';

/** Every problem of this package in words. */
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

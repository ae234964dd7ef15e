/** Makes the links of a README work on the page of a registry, which has no other file of the repository. */
import { posix } from 'node:path';

interface Place {
	/** Such as `https://github.com/owner/name`. */
	repository: string;
	/** Of the README in the repository; empty at the top. */
	folder: string;
}

/** The place of a README, from the text of the package.json beside it. */
export function findPlace(manifest: string): Place {
	const { repository } = JSON.parse(manifest) as {
		repository: { url: string; directory?: string };
	};
	const address = repository.url.replace(/^git\+|\.git$/g, '');
	return { repository: address, folder: repository.directory ?? '' };
}

/** The same text, with an absolute address for each link and picture of the repository. Links within the page stay. */
export function makeAbsolute(text: string, { repository, folder }: Place): string {
	const raw = repository.replace('github.com', 'raw.githubusercontent.com');
	const resolveTarget = (target: string, isPicture: boolean) => {
		if (/^([a-z]+:|#)/i.test(target)) return target;
		const path = posix.join(folder, target);
		return isPicture ? `${raw}/main/${path}` : `${repository}/blob/main/${path}`;
	};
	// Blocks of code stay as they are. `split` gives text, block and the ticks of its fence in turn.
	const fenced = /(^ *(`{3,})[^]*?^ *\2 *$)/gm;
	const parts = text.split(fenced).filter((_, at) => at % 3 !== 2);
	return parts
		.map((part, at) =>
			at % 2
				? part
				: part
						.replace(
							/(!?)(\[[^[\]]*\])\(([^()\s]+)\)/g,
							(_, mark: string, words: string, to: string) =>
								`${mark}${words}(${resolveTarget(to, mark === '!')})`,
						)
						.replace(
							/(\)\])\(([^()\s]+)\)/g,
							(_, end: string, to: string) => `${end}(${resolveTarget(to, false)})`,
						)
						.replace(
							/(srcset|src)="([^"]+)"/g,
							(_, name: string, to: string) => `${name}="${resolveTarget(to, true)}"`,
						)
						.replace(/href="([^"]+)"/g, (_, to: string) => `href="${resolveTarget(to, false)}"`),
		)
		.join('');
}

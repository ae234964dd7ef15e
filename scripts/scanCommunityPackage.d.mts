/** The used part of n8n's scan, which has no types. */
declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	/** Globs of the files that the scan reads in a checkout. */
	export const SOURCE_FILE_PATTERNS: string[];

	/** Lints the files of a folder that match the globs, by the rules for verified packages. Needs no network. */
	export function analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

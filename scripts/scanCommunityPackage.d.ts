/** The part that is used of n8n's scan, which has no types of its own. */
declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	/** What of a checkout is looked at, as globs. */
	export const SOURCE_FILE_PATTERNS: string[];

	/** Lints what the globs find in a folder by the rules for verified packages. Needs no network. */
	export function analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

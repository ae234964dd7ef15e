import type { MiddlewareHandler } from 'hono';

/** The pages, and nothing but themselves: no script, style, picture or request from or to another host, and nothing written inline. */
const policy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"form-action 'self'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
].join('; ');

const headers = {
	'Content-Security-Policy': policy,
	'Cross-Origin-Opener-Policy': 'same-origin',
	'Cross-Origin-Resource-Policy': 'same-origin',
	// `no-referrer` would take the origin out of forms, by which they are told from those of other sites.
	'Referrer-Policy': 'same-origin',
	'X-Content-Type-Options': 'nosniff',
	'Cache-Control': 'no-store',
};

/** Has a page stand alone: see `policy`. */
export const alone: MiddlewareHandler = async (context, next) => {
	await next();
	for (const [name, value] of Object.entries(headers)) context.header(name, value);
};

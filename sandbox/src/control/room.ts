import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Service } from '../service.ts';

/** Routes below `/_sandbox/api`, as Hono has them. */
export type ControlRoutes = Hono<{ Bindings: HttpBindings }>;

/**
 * Adds the routes of one part of the control API, such as `routes.get('/outbox', …)` for `/_sandbox/api/outbox`. A handler answers JSON;
 * an ApiError, RangeError or SyntaxError that it throws is answered as a 400 or with the error's own status.
 */
export type ControlRoom = (routes: ControlRoutes, service: Service) => void;

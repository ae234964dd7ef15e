/** A server may close an idle connection just when a test uses it again, so each call opens its own. */
import http from 'node:http';

http.globalAgent = new http.Agent({ keepAlive: false });

import { ApiError, invalid } from '../../../http/errors.ts';
import type { Outbound } from '../../../outbound/outbound.ts';
import { requireKnownActions } from '../../write-gate/action-patterns.ts';
import { WEBHOOK_TYPES } from '../../write-gate/audit-actions.ts';

/** Throws URL_NOT_ALLOWED when the URL itself shows that the server may not call it. */
export function requireUrl(outbound: Outbound, url: string): void {
  const reason = outbound.faultOf(url);
  if (reason === undefined) return;
  throw new ApiError('URL_NOT_ALLOWED', { details: { field: 'url', reason } });
}

/** Throws VALIDATION_ERROR for an event type that does not exist. */
export function requireEvents(events: readonly string[]): void {
  requireKnownActions('events', events, WEBHOOK_TYPES);
}

/** Headers that the server sets, and headers of the connection. */
const RESERVED =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|webhook-.*|user-agent|accept-encoding)$/i;

/** Throws VALIDATION_ERROR for a reserved or malformed header. */
export function requireHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name)) throw badHeader(name, 'is not a header name');
    if (RESERVED.test(name)) throw badHeader(name, 'is set by the service');
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw badHeader(name, 'must be printable ASCII');
  }
}

function badHeader(name: string, message: string): ApiError {
  return invalid({ field: `headers.${name}`, location: 'body', code: 'format', message });
}

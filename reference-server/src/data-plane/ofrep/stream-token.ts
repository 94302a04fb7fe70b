import { ApiError } from '../../http/errors.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import type { Sealer } from '../../lib/sealed-text.ts';

/** What a stream's URL carries in place of headers, which EventSource cannot send. */
export interface StreamToken {
  readonly apiKey: string;
  /** The version that the client has. */
  readonly version: number;
}

const TOKEN_LIFE_MS = HOUR_MS;

/** A token that is valid for an hour. `now` is in milliseconds since 1970. */
export function sealToken(sealer: Sealer, token: StreamToken, now: number): string {
  return sealer.seal(JSON.stringify({ ...token, expiresAt: now + TOKEN_LIFE_MS }));
}

/** Throws INVALID_API_KEY for a token that is invalid or has expired. */
export function openToken(sealer: Sealer, text: unknown, now: number): StreamToken {
  try {
    const token = JSON.parse(sealer.open(text as string)) as StreamToken & { readonly expiresAt: number };
    if (token.expiresAt > now) return token;
  } catch {
    // Not a token of this server.
  }
  throw new ApiError('INVALID_API_KEY', { message: 'The token of the stream is not valid, or has expired.' });
}

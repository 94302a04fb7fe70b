import type { FastifyInstance } from 'fastify';

/** Ids and short numbers, such as revisions; no secret has these forms. */
const HARMLESS = /^(?:[a-z]{3,4}_[0-9A-HJKMNP-TV-Z]{26}|\d{1,5})$/;
const HIDDEN = '…';
const SEGMENTS_MAX = 16;

/**
 * Returns a function that makes the path of a URL fit for the log: segments that no route of `app` contains literally,
 * except ids, become "…", and the query is left out, because both may contain secrets. Call it before the routes are
 * registered.
 */
export function createShownPath(app: FastifyInstance): (url: string) => string {
  const literals = new Set<string>(['']);
  app.addHook('onRoute', ({ url }) => {
    for (const segment of url.split('/')) if (!/[:*]/.test(segment)) literals.add(segment);
  });
  return (url) => {
    const segments = url.split('?', 1)[0]!.split('/', SEGMENTS_MAX + 1);
    const shown = segments
      .slice(0, SEGMENTS_MAX)
      .map((segment) => (literals.has(segment) || HARMLESS.test(segment) ? segment : HIDDEN));
    return (segments.length > SEGMENTS_MAX ? [...shown, HIDDEN] : shown).join('/');
  };
}

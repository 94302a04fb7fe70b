import type { FastifyInstance } from 'fastify';

interface KnownPath {
  /** Null for a path parameter. */
  readonly segments: readonly (string | null)[];
  readonly methods: readonly string[];
}

/**
 * Returns a function that finds the methods of a path among all routes registered from now on; empty for an unknown
 * path.
 */
export function rememberMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const known: KnownPath[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return;
    const segments = url.split('/').map((segment) => (segment.startsWith(':') ? null : segment));
    known.push({ segments, methods: [method].flat() });
  });
  return (path) => {
    const requested = path.split('/');
    const found = known
      .filter(({ segments }) => matches(segments, requested))
      .flatMap(({ methods }) => methods);
    return found.length === 0 ? [] : [...new Set([...found, 'OPTIONS'])];
  };
}

function matches(segments: KnownPath['segments'], requested: readonly string[]): boolean {
  if (segments.length !== requested.length) return false;
  return segments.every((segment, index) =>
    segment === null ? requested[index] !== '' : segment === requested[index],
  );
}

import type { FastifyInstance } from 'fastify';

interface KnownPath {
  /** Parameters are null. */
  readonly segments: readonly (string | null)[];
  readonly methods: readonly string[];
}

/** The methods that a path takes, by the routes that `app` gets from now on; none where there is no such path. */
export function rememberMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const known: KnownPath[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return;
    const segments = url.split('/').map((segment) => (segment.startsWith(':') ? null : segment));
    known.push({ segments, methods: [method].flat() });
  });
  return (path) => {
    const asked = path.split('/');
    const found = known.filter(({ segments }) => matches(segments, asked)).flatMap(({ methods }) => methods);
    return found.length === 0 ? [] : [...new Set([...found, 'OPTIONS'])];
  };
}

function matches(segments: KnownPath['segments'], asked: readonly string[]): boolean {
  if (segments.length !== asked.length) return false;
  return segments.every((segment, index) =>
    segment === null ? asked[index] !== '' : segment === asked[index],
  );
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { type BodyCoding, chooseCoding, matchesEtag, takesGzip } from '../http/negotiate.ts';

/** A file of the built dashboard, with the compressed copies that the build made. */
export interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly bodies: Readonly<Partial<Record<BodyCoding, Buffer>>> & { readonly identity: Buffer };
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/**
 * Reads a built dashboard into memory, by path such as `/assets/main-1a2b3c.js`; 2 MB. No path can lead out of the
 * folder, no request waits for the disk, and a build that replaces the files cannot mix two versions.
 */
export function readBuiltFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => [`/${relative(folder, file).split(sep).join('/')}`, file] as const);
  const contents = new Map(files.map(([path, file]) => [path, readFileSync(file)]));
  const isServed = ([path]: readonly [string, Buffer]): boolean =>
    !path.includes('/.') && !/\.(br|gz)$/.test(path);
  return new Map(
    [...contents].filter(isServed).map(([path, identity]) => {
      const [br, gzip] = [contents.get(`${path}.br`), contents.get(`${path}.gz`)];
      const bodies = { identity, ...(br && { br }), ...(gzip && { gzip }) };
      return [
        path,
        { type: TYPES[extname(path)] ?? 'application/octet-stream', etag: tagOf(identity), bodies },
      ];
    }),
  );
}

/** Weak, because the compressed copies share it. */
const tagOf = (content: Buffer): string =>
  `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

/** Answers GET and HEAD with a file, or 304. Ranges are not supported, so `Range` gets the whole file. */
export function sendBuiltFile(request: IncomingMessage, response: ServerResponse, file: BuiltFile): void {
  const { headers, method } = request;
  const accepted = headers['accept-encoding'] as string | undefined;
  response.setHeader('vary', 'Accept-Encoding');
  response.setHeader('etag', file.etag);
  if (matchesEtag(headers['if-none-match'] ?? '', file.etag)) return void response.writeHead(304).end();
  const wanted = chooseCoding(accepted);
  const coding =
    wanted in file.bodies ? wanted : takesGzip(accepted) && 'gzip' in file.bodies ? 'gzip' : 'identity';
  const body = file.bodies[coding]!;
  response
    .writeHead(200, {
      'content-type': file.type,
      'content-length': body.length,
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    })
    .end(method === 'HEAD' ? undefined : body);
}

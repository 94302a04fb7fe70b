import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag, takesGzip } from '../http/negotiate.ts';

/** Sends a text that never changes while the process runs. */
export type SendStaticText = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Serves a text with an entity tag and gzip. The text is made on the first request. */
export function createStaticText(
  contentType: string,
  make: () => string | Buffer | Promise<string | Buffer>,
): SendStaticText {
  let made: ReturnType<typeof prepare> | undefined;
  return async (request, reply) => {
    made ??= prepare(make).catch((error: unknown) => {
      // The next request tries again.
      made = undefined;
      throw error;
    });
    const { plain, zipped, etag } = await made;
    reply.header('content-type', contentType).header('etag', etag).header('vary', 'Accept-Encoding');
    const { 'if-none-match': known, 'accept-encoding': codings } = request.headers;
    if (known !== undefined && matchesEtag(known, etag)) return reply.code(304).send();
    if (!takesGzip(codings)) return reply.send(plain);
    return reply.header('content-encoding', 'gzip').send(zipped);
  };
}

async function prepare(make: () => string | Buffer | Promise<string | Buffer>) {
  const plain = Buffer.from(await make());
  // Weak, because gzip changes the bytes but not the meaning.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, zipped: await promisify(gzip)(plain), etag };
}

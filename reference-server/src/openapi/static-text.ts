import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag, takesGzip } from '../http/negotiate.ts';

/** Sends a text that stays the same as long as the process lives. */
export type SendFixedText = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Whoever has it already is told so, and whoever takes gzip gets that. The text is made when it is first asked for. */
export function createFixedText(
  contentType: string,
  make: () => string | Buffer | Promise<string | Buffer>,
): SendFixedText {
  let made: ReturnType<typeof prepare> | undefined;
  return async (request, reply) => {
    made ??= prepare(make).catch((error: unknown) => {
      // The next one may have more luck.
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
  // The bytes differ by coding, and the tag is of what they mean.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, zipped: await promisify(gzip)(plain), etag };
}

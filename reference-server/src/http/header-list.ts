import type { FastifyReply } from 'fastify';

/**
 * Header names and values alternating, as `writeHead` accepts them. An object with many headers costs several times as
 * much.
 */
export type HeaderList = (string | number)[];

export function setHeaders(reply: FastifyReply, list: HeaderList): void {
  for (let at = 0; at < list.length; at += 2) reply.header(list[at] as string, list[at + 1]);
}

import type { FastifyReply } from 'fastify';

/** Sends `{ data: record }` with the record's revision as its entity tag. */
export function sendRecord<T extends { readonly revision: number }>(
  reply: FastifyReply,
  record: T,
  status: 200 | 201 = 200,
): FastifyReply {
  return reply.code(status).header('etag', `"${record.revision}"`).send({ data: record });
}

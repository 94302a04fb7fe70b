import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalid } from '../../http/errors.ts';
import { type Warning, warn } from '../../http/warnings.ts';
import { beginningOf } from '../../lib/text-checks.ts';

/**
 * What a write says about how it is to be applied: `If-Match`, `If-None-Match: *`, on POST `Idempotency-Key`, and
 * `?dry_run=true`. The shape is what the write gate takes.
 */
export function changeOptions(request: FastifyRequest): {
  ifMatch: readonly string[] | undefined;
  isNew: boolean;
  comment: string | undefined;
  idempotency:
    | { key: string; method: string; path: string; bodyHash: string; onRepeated: () => void }
    | undefined;
  dryRun: boolean;
  onWarnings: (warnings: readonly Warning[]) => void;
  breakGlass: { id: string } | { justification: string } | undefined;
} {
  const { comment = commentHeader(request) } = (request.body ?? {}) as { comment?: string };
  const { dry_run: dryRun = false } = (request.query ?? {}) as { dry_run?: boolean };
  return {
    ifMatch: ifMatchOf(request),
    isNew: request.headers['if-none-match'] === '*',
    comment,
    idempotency: idempotencyOf(request),
    dryRun,
    onWarnings: (warnings) => warn(request, warnings),
    breakGlass: breakGlassOf(request),
  };
}

/** `X-Break-Glass` names a session, `X-Break-Glass-Justification` opens one for this call. */
function breakGlassOf({ headers }: FastifyRequest): ReturnType<typeof changeOptions>['breakGlass'] {
  const id = headers['x-break-glass'];
  if (typeof id === 'string' && id !== '') return { id };
  const justification = headers['x-break-glass-justification'];
  if (typeof justification !== 'string' || justification === '') return undefined;
  return { justification: readHeader(justification) };
}

/** `X-Change-Comment` is for calls that have no body. */
function commentHeader({ headers }: FastifyRequest): string | undefined {
  const comment = headers['x-change-comment'];
  return typeof comment === 'string' && comment !== '' ? beginningOf(readHeader(comment), 2_000) : undefined;
}

/** Node reads headers byte by byte; whoever sends more than ASCII sends UTF-8. */
function readHeader(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** Entity tags without quotes; our tags are revisions, so weak and strong ones compare alike. */
function ifMatchOf(request: FastifyRequest): readonly string[] | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  if (header === '') {
    const message = 'is empty: send the entity tag that the change builds on, or leave the header out';
    throw invalid({ field: 'if-match', location: 'header', code: 'required', message });
  }
  return header.split(',').map((tag) =>
    tag
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );
}

function idempotencyOf(request: FastifyRequest): ReturnType<typeof changeOptions>['idempotency'] {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError('IDEMPOTENCY_KEY_INVALID');
  return {
    key,
    method: request.method,
    // A dry run asks whether the call itself could have the key.
    path: request.url.replace(/([?&])dry_run=\w+(&|$)/, '$1').replace(/[?&]$/, ''),
    // Whoever else comes by the same key gets no answer that was not theirs.
    bodyHash: createHash('sha256')
      .update(`${request.actor?.id}\n${JSON.stringify(request.body ?? null)}`)
      .digest('hex'),
    onRepeated: () => {
      request.isRepeated = true;
    },
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** True when the answer is the one that the same `Idempotency-Key` got before. */
    isRepeated: boolean;
  }
}

/** Tells an answer that is a repetition from the first one. */
export function registerRepetitions(app: FastifyInstance): void {
  app.decorateRequest('isRepeated', false);
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.isRepeated) reply.header('idempotency-replayed', 'true');
    done(null, payload);
  });
}

/** Sends `{ data: record }` with the record's revision as its entity tag. */
export function sendRecord<T extends { readonly revision: number }>(
  reply: FastifyReply,
  record: T,
  status: 200 | 201 = 200,
): FastifyReply {
  return reply.code(status).header('etag', `"${record.revision}"`).send({ data: record });
}

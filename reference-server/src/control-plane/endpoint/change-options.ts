import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, invalid } from '../../http/errors.ts';
import { warn } from '../../http/warnings.ts';
import { beginningOf } from '../../lib/text-checks.ts';
import type { BreakGlassClaim, ChangeOptions } from '../write-gate/change.ts';
import type { Idempotency } from '../write-gate/idempotency.ts';

/** Characters of `X-Change-Comment` that are stored. */
const COMMENT_MAX = 2_000;

/** The options of a request for its change: preconditions, comment, idempotency, dry run and break-glass. */
export function changeOptions(request: FastifyRequest): ChangeOptions & { readonly dryRun: boolean } {
  const { comment = commentHeader(request) } = (request.body ?? {}) as { comment?: string };
  const { dry_run: dryRun = false } = (request.query ?? {}) as { dry_run?: boolean };
  return {
    ifMatch: readIfMatch(request),
    isNew: request.headers['if-none-match'] === '*',
    comment,
    idempotency: readIdempotency(request),
    dryRun,
    onWarnings: (warnings) => warn(request, warnings),
    breakGlass: readBreakGlass(request),
  };
}

/** `X-Break-Glass` names an open session; `X-Break-Glass-Justification` opens one for this call. */
function readBreakGlass({ headers }: FastifyRequest): BreakGlassClaim | undefined {
  const id = headers['x-break-glass'];
  if (typeof id === 'string' && id !== '') return { id };
  const justification = headers['x-break-glass-justification'];
  if (typeof justification !== 'string' || justification === '') return undefined;
  return { justification: readHeader(justification) };
}

function commentHeader({ headers }: FastifyRequest): string | undefined {
  const comment = headers['x-change-comment'];
  if (typeof comment !== 'string' || comment === '') return undefined;
  return beginningOf(readHeader(comment), COMMENT_MAX);
}

/** Decodes UTF-8: Node reads each byte of a header as one character. */
function readHeader(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** The entity tags without quotes. They are revisions, so weak and strong tags are treated alike. */
function readIfMatch(request: FastifyRequest): readonly string[] | undefined {
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

function readIdempotency(request: FastifyRequest): Idempotency | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError('IDEMPOTENCY_KEY_INVALID');
  return {
    key,
    method: request.method,
    // Without `dry_run`, so that a dry run checks the key as the call itself would.
    path: request.url.replace(/([?&])dry_run=\w+(&|$)/, '$1').replace(/[?&]$/, ''),
    // Includes the caller, so that another caller with the same key does not get the answer.
    bodyHash: createHash('sha256')
      .update(`${request.actor?.id}\n${JSON.stringify(request.body ?? null)}`)
      .digest('hex'),
    onReplay: () => {
      request.isReplay = true;
    },
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** True when the answer was stored for an earlier request with the same `Idempotency-Key`. */
    isReplay: boolean;
  }
}

/** Adds `Idempotency-Replayed: true` to replayed answers. */
export function registerReplays(app: FastifyInstance): void {
  app.decorateRequest('isReplay', false);
  app.addHook('onSend', async (request, reply) => {
    if (request.isReplay) reply.header('idempotency-replayed', 'true');
  });
}

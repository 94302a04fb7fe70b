import type { Context } from '@flagsvc/sdk-core';
import type { FastifyRequest } from 'fastify';
import {
  ATTRIBUTES_MAX,
  findLongList,
  LIST_ITEMS_MAX,
  USER_KEY_LENGTH_MAX,
} from '../evaluate/context-size.ts';
import type { ExcessiveWork } from '../evaluate/pattern-work.ts';
import { explain } from '../evaluate/require-work.ts';
import { OfrepError } from './ofrep-errors.ts';

/** The context of a request: `targetingKey` is the user key, everything else an attribute. Throws OfrepError. */
export function readContext({ body }: FastifyRequest): Context {
  if (typeof body !== 'object' || body === null)
    throw new OfrepError('PARSE_ERROR', 'The body must be an object.');
  const { context } = body as { context?: unknown };
  if (typeof context !== 'object' || context === null || Array.isArray(context)) {
    throw new OfrepError('INVALID_CONTEXT', '`context` must be an object.');
  }
  if (Object.keys(context).length > ATTRIBUTES_MAX + 1) {
    throw new OfrepError('INVALID_CONTEXT', `\`context\` has more than ${ATTRIBUTES_MAX} attributes.`);
  }
  const { targetingKey, ...attributes } = context as Record<string, unknown>;
  if (typeof targetingKey !== 'string' || targetingKey === '') {
    throw new OfrepError(
      'TARGETING_KEY_MISSING',
      '`context.targetingKey` must be a text that names the user.',
    );
  }
  if (targetingKey.length > USER_KEY_LENGTH_MAX) {
    throw new OfrepError(
      'INVALID_CONTEXT',
      `\`targetingKey\` has more than ${USER_KEY_LENGTH_MAX} characters.`,
    );
  }
  const long = findLongList(attributes as Context['attributes']);
  if (long !== undefined) {
    throw new OfrepError('INVALID_CONTEXT', `The attribute "${long}" has more than ${LIST_ITEMS_MAX} items.`);
  }
  return { user_key: targetingKey, attributes } as Context;
}

/** Throws OfrepError if the context needs too much work. */
export function requireWork(measured: number | ExcessiveWork): number {
  if (typeof measured === 'number') return measured;
  throw new OfrepError('INVALID_CONTEXT', explain(measured));
}

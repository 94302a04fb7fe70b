import type { onRequestHookHandler } from 'fastify';
import { ApiError } from '../../http/errors.ts';

/** Throws KEY_KIND_NOT_ALLOWED unless the authenticated key is a relay's. */
export const requireRelay: onRequestHookHandler = ({ grant }, _reply, done) => {
  const { kind } = grant!;
  if (kind === 'relay') done();
  else done(new ApiError('KEY_KIND_NOT_ALLOWED', { details: { kind, allowed: ['relay'] } }));
};

import type { Request } from '../client/document.ts';
import { usageError } from '../output/errors.ts';
import type { OptionValues } from './options.ts';
import { parseAttribute, parseJson } from './values.ts';

/** The context from `--user`, `--attribute` and `--context`. */
export function parseContext(options: OptionValues): Request<'POST /evaluate'>['body']['context'] {
  if (options.user === undefined) {
    throw usageError('No user is given.', 'Name one with --user; percentage rollouts need a user key.');
  }
  const context = options.context === undefined ? {} : parseJson('--context', options.context);
  if (typeof context !== 'object' || context === null || Array.isArray(context)) {
    throw usageError('--context must be a JSON object of attributes.');
  }
  const attributes = Object.fromEntries((options.attribute ?? []).map(parseAttribute));
  return { user_key: options.user, attributes: { ...context, ...attributes } };
}

import type { Option } from '../option.ts';

/** Options that describe a user, and the key to evaluate with. */
export const CONTEXT_OPTIONS = {
  user: { type: 'string', short: 'u', value: 'key', summary: 'User key of the context.' },
  attribute: {
    type: 'string',
    short: 'a',
    multiple: true,
    value: 'name=value',
    summary: 'Context attribute; repeatable. A value that is valid JSON is parsed.',
  },
  context: { type: 'string', value: 'json', summary: 'All attributes as one JSON object.' },
  'api-key': {
    type: 'string',
    value: 'key',
    summary: 'SDK key. Prefer FLAGSVC_API_KEY: process lists show command lines.',
  },
} as const satisfies Record<string, Option>;

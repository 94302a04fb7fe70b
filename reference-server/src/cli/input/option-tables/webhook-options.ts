import type { Option } from '../option.ts';

/** Options about webhooks. */
export const WEBHOOK_OPTIONS = {
  event: {
    type: 'string',
    multiple: true,
    value: 'name',
    summary: 'Event to send, such as flag.toggled, flag.* or *; repeatable.',
  },
  address: { type: 'string', value: 'url', summary: 'New address of the receiver.' },
  'header-stdin': {
    type: 'boolean',
    summary: 'Read headers of the requests from standard input, one "Name: value" per line.',
  },
  payload: {
    type: 'string',
    value: 'size',
    summary: 'full sends the change; thin sends only ids.',
    values: ['full', 'thin'],
  },
  signing: {
    type: 'string',
    value: 'method',
    summary: 'Signature of the requests. Default hmac.',
    values: ['hmac', 'ed25519'],
  },
} as const satisfies Record<string, Option>;

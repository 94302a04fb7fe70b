import type { Option } from '../option.ts';

/** Options about people, accounts and keys. */
export const ACCESS_OPTIONS = {
  email: { type: 'string', value: 'address', summary: 'E-mail address to log in with. Default: a prompt.' },
  'password-stdin': { type: 'boolean', summary: 'Read the password from standard input.' },
  'token-stdin': {
    type: 'boolean',
    summary: 'Store a machine token from standard input instead of logging in with a password.',
  },
  kind: {
    type: 'string',
    value: 'kind',
    summary: 'Kind of key. Default server.',
    values: ['server', 'client', 'relay'],
  },
  role: {
    type: 'string',
    value: 'role',
    summary:
      'Role of the account. Default viewer. With --project, the role applies only there; elsewhere the account is a viewer.',
    values: ['viewer', 'editor', 'admin'],
  },
  agent: {
    type: 'boolean',
    summary: 'Mark the account as an autonomous agent, which cannot change critical environments.',
  },
  scope: {
    type: 'string',
    multiple: true,
    value: 'scope',
    summary: 'Scope of the token; repeatable. Default read. `admin` allows everything that the role allows.',
    values: ['read', 'code_references:write', 'flags:write', 'admin'],
  },
  'expires-at': { type: 'string', value: 'time', summary: 'Expiry time (ISO 8601). Default: never.' },
  grace: {
    type: 'string',
    value: 'hours',
    summary: 'Hours until the old key stops working. Default 24; 0 stops it immediately.',
  },
  'allow-origin': {
    type: 'string',
    multiple: true,
    value: 'origin',
    summary: 'Client keys: allowed page origin; repeatable.',
  },
  'allow-ip': {
    type: 'string',
    multiple: true,
    value: 'range',
    summary: 'Allowed IP address or CIDR range; repeatable.',
  },
  'rate-limit': {
    type: 'string',
    multiple: true,
    value: 'name=n',
    summary:
      'Requests per minute of evaluation, ruleset, events or stream, such as ruleset=1000; repeatable. "none" restores the limits of the server.',
  },
  disabled: { type: 'boolean', negatable: true, summary: 'The account cannot use its tokens.' },
  'revoke-tokens': { type: 'boolean', summary: 'Also revoke all personal tokens.' },
  others: { type: 'boolean', summary: 'End all sessions except the current one.' },
} as const satisfies Record<string, Option>;

import type { Option } from '../option.ts';

/** Options that many commands share. */
export const GENERAL_OPTIONS = {
  help: { type: 'boolean', short: 'h', summary: 'Show help for the command.' },
  version: { type: 'boolean', summary: 'Show the version.' },
  json: { type: 'boolean', summary: 'Write JSON instead of tables. Errors are JSON too, on standard error.' },
  url: {
    type: 'string',
    value: 'address',
    summary: 'Server address. Default: FLAGSVC_URL, then the last login, then http://127.0.0.1:8000.',
  },
  project: {
    type: 'string',
    short: 'p',
    value: 'key',
    summary: 'Project key or id. Default: FLAGSVC_PROJECT, then the only project, then "default".',
  },
  environment: {
    type: 'string',
    short: 'e',
    multiple: true,
    value: 'key',
    summary: 'Environment key or id. Default: FLAGSVC_ENVIRONMENT.',
  },
  yes: {
    type: 'boolean',
    short: 'y',
    summary: 'Skip the confirmation prompt.',
  },
  comment: {
    type: 'string',
    short: 'm',
    value: 'text',
    summary: 'Reason for the change, kept in the audit log.',
  },
  'dry-run': { type: 'boolean', summary: 'Show what would change, without changing anything.' },
  'break-glass': {
    type: 'string',
    value: 'reason',
    summary:
      'Admins: override a freeze window. Takes a reason of at least 20 characters, or the id of an open session (bgl_…). Another admin reviews it later.',
  },
  limit: { type: 'string', short: 'n', value: 'count', summary: 'Maximum number of rows. Default 100.' },
  name: { type: 'string', value: 'text', summary: 'Display name. Default: the key.' },
  description: { type: 'string', value: 'text', summary: 'Purpose of the flag.' },
  output: {
    type: 'string',
    short: 'o',
    value: 'file',
    summary: 'Write to this file instead of standard output.',
  },
  search: { type: 'string', value: 'text', summary: 'Only flags whose key or name contains this text.' },
  tag: { type: 'string', multiple: true, value: 'tag', summary: 'Tag of the flag; repeatable.' },
  all: {
    type: 'boolean',
    summary:
      'Every environment of the project given by --project; without --project, every environment of all projects.',
  },
  archived: { type: 'boolean', summary: 'Only archived ones.' },
} as const satisfies Record<string, Option>;

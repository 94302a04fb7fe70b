import type { Option } from '../option.ts';

/** Options about times, freezes, emergencies and the audit log. */
export const TIME_OPTIONS = {
  at: {
    type: 'string',
    value: 'time',
    summary: 'Time of the change: ISO 8601 (without an offset: local time), or +30m, +2h, +3d from now.',
  },
  until: {
    type: 'string',
    value: 'time',
    summary: 'End time: ISO 8601 (without an offset: local time), or +30m, +2h, +3d from now.',
  },
  justification: {
    type: 'string',
    value: 'text',
    summary: 'Reason, at least 20 characters. Another admin reviews it later.',
  },
  minutes: {
    type: 'string',
    value: 'count',
    summary: 'Minutes until the session expires, 5 to 240. Default 60.',
  },
  follow: { type: 'boolean', short: 'f', summary: 'Keep showing new entries until Ctrl-C.' },
  action: { type: 'string', value: 'name', summary: 'Only entries with this action, such as flag.toggled.' },
  since: {
    type: 'string',
    value: 'time',
    summary: 'Only from this time on: ISO 8601, or 2h, 7d for that long ago.',
  },
  actor: { type: 'string', value: 'id', summary: 'Only entries of this user or service account.' },
  resource: { type: 'string', value: 'id', summary: 'Only entries about this resource.' },
  change: {
    type: 'string',
    multiple: true,
    value: 'json',
    summary: 'Instruction as JSON, such as {"op":"set_enabled","enabled":true}; repeatable.',
  },
  'on-conflict': {
    type: 'string',
    value: 'way',
    summary: 'What happens if the flag was changed meanwhile. Default fail.',
    values: ['fail', 'rebase', 'force'],
  },
  'on-freeze': {
    type: 'string',
    value: 'way',
    summary: 'What happens during a freeze window. Default defer.',
    values: ['defer', 'fail'],
  },
  repeat: {
    type: 'string',
    value: 'rule',
    summary: 'Repeat by this rule (RFC 5545), such as FREQ=WEEKLY;BYDAY=FR. Needs --minutes.',
  },
  'time-zone': { type: 'string', value: 'name', summary: 'Time zone of --repeat. Default: the local one.' },
  'allow-change': {
    type: 'string',
    multiple: true,
    value: 'change',
    summary: 'Change that the window still allows; repeatable.',
    values: ['disable', 'rollout_decrease'],
  },
} as const satisfies Record<string, Option>;

import type { Option } from '../option.ts';

/** Options about projects, environments, segments and the organization. */
export const PLACE_OPTIONS = {
  critical: {
    type: 'boolean',
    negatable: true,
    summary: 'Changes are dangerous: autonomous agents cannot make them.',
  },
  'require-comment': { type: 'boolean', negatable: true, summary: 'Every change needs a comment.' },
  'confirm-changes': { type: 'boolean', negatable: true, summary: 'Every change asks for confirmation.' },
  'record-contexts': {
    type: 'boolean',
    negatable: true,
    summary: 'Keep a sample of evaluated contexts, so that a dry run can count affected users.',
  },
  color: { type: 'string', value: 'hex', summary: 'Color in the dashboard, such as #d97706.' },
  'default-environment': {
    type: 'string',
    value: 'key',
    summary: 'Environment that is used when none is named.',
  },
  'key-pattern': {
    type: 'string',
    value: 'pattern',
    summary: 'Pattern that new flag keys must match; "none" removes it.',
  },
  'require-description': {
    type: 'boolean',
    negatable: true,
    summary: 'Every new flag needs a description.',
  },
  include: {
    type: 'string',
    multiple: true,
    value: 'user',
    summary: 'User key that is always in the segment; repeatable. @file reads one key per line.',
  },
  exclude: {
    type: 'string',
    multiple: true,
    value: 'user',
    summary: 'User key that is never in the segment; repeatable. @file reads one key per line.',
  },
  forget: {
    type: 'string',
    multiple: true,
    value: 'user',
    summary: 'User key to remove from both lists; repeatable. @file reads one key per line.',
  },
  'require-mfa': { type: 'boolean', negatable: true, summary: 'Every member needs a second factor.' },
  'session-hours': {
    type: 'string',
    value: 'hours',
    summary: 'Hours after which members must log in again; "none" removes the limit.',
  },
  'allow-domain': {
    type: 'string',
    multiple: true,
    value: 'domain',
    summary: 'E-mail domain that may be invited; repeatable. "none" allows every domain.',
  },
} as const satisfies Record<string, Option>;

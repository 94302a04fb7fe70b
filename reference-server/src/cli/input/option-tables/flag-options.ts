import type { Option } from '../option.ts';

/** Options about flags, their variations and rules. */
export const FLAG_OPTIONS = {
  status: {
    type: 'string',
    value: 'status',
    summary: 'Only flags with this status.',
    values: ['active', 'inactive', 'archived', 'draft', 'stale'],
  },
  type: {
    type: 'string',
    value: 'type',
    summary: 'Type of the flag. Default boolean.',
    values: ['boolean', 'string', 'number', 'json'],
  },
  classification: {
    type: 'string',
    value: 'class',
    summary: 'Classification of the flag.',
    values: ['release', 'experiment', 'ops_killswitch', 'permission', 'migration'],
  },
  variation: {
    type: 'string',
    multiple: true,
    value: 'key=value',
    summary:
      'Variation key and value; repeatable. Values are JSON, except for string flags. Default for boolean flags: on=true and off=false.',
  },
  default: {
    type: 'string',
    value: 'variation',
    summary: 'Variation to serve when no rule matches. Default: the last variation.',
  },
  'client-side': {
    type: 'boolean',
    negatable: true,
    summary: 'Expose the flag to client keys, which are public.',
  },
  draft: { type: 'boolean', summary: 'Create a draft, which no ruleset contains until it is activated.' },
  rule: {
    type: 'string',
    value: 'id or name',
    summary: 'Rule to change. Default: the rule without conditions.',
  },
  from: { type: 'string', value: 'environment', summary: 'Key or id of the first environment.' },
  to: { type: 'string', value: 'environment', summary: 'Key or id of the second environment.' },
  'with-switch': { type: 'boolean', summary: 'Also copy whether the flag is on.' },
  when: {
    type: 'string',
    multiple: true,
    value: 'condition',
    summary:
      'Condition of the rule or segment; repeatable, all must hold. Examples: "country is CH", "plan one_of pro,team", "age gt 17", "version version_lt 2.4.0".',
  },
  segment: {
    type: 'string',
    multiple: true,
    value: 'key',
    summary: 'Condition: the user is in this segment; repeatable, one of them is enough.',
  },
  'not-segment': {
    type: 'string',
    multiple: true,
    value: 'key',
    summary: 'Condition: the user is not in this segment; repeatable, none of them may contain the user.',
  },
  everyone: { type: 'boolean', summary: 'Remove all conditions, so that the rule applies to every user.' },
  serve: {
    type: 'string',
    multiple: true,
    value: 'variation',
    summary:
      'Variation that the rule serves; or shares, such as --serve on=25 --serve off=75. Users outside all shares get the default variation.',
  },
  before: { type: 'string', value: 'rule', summary: 'Put the rule before this one: its number, name or id.' },
  last: { type: 'boolean', summary: 'Put the rule at the end.' },
  first: { type: 'boolean', summary: 'Put the rule at the beginning.' },
  value: { type: 'string', value: 'value', summary: 'New value. It is JSON, except for string flags.' },
  owner: {
    type: 'string',
    value: 'e-mail',
    summary: 'E-mail address or id of the member who owns the flag; "none" removes the owner.',
  },
  'expected-end': {
    type: 'string',
    value: 'time',
    summary: 'When the flag should be gone (ISO 8601, or +30d); "none" removes the time.',
  },
  'stale-after': {
    type: 'string',
    value: 'days',
    summary: 'Days after which the flag counts as stale; "none" restores the policy of the project.',
  },
  permanent: { type: 'boolean', negatable: true, summary: 'The flag stays for ever and is never stale.' },
  'track-exposures': {
    type: 'boolean',
    negatable: true,
    summary: 'SDKs report which users saw which variation.',
  },
  'add-tag': { type: 'string', multiple: true, value: 'tag', summary: 'Tag to add; repeatable.' },
  'remove-tag': { type: 'string', multiple: true, value: 'tag', summary: 'Tag to remove; repeatable.' },
  'to-project': { type: 'string', value: 'key', summary: 'Key or id of the project of the copy.' },
  'merge-rules': {
    type: 'boolean',
    summary: 'Keep the rules of the target and put the copied ones before them.',
  },
  flag: { type: 'string', multiple: true, value: 'key', summary: 'Key of a flag; repeatable.' },
  filter: { type: 'boolean', summary: 'Change all flags that the other options select.' },
  stale: {
    type: 'string',
    value: 'reason',
    summary: 'Only stale flags with this reason.',
    values: ['fully_rolled_out', 'single_variation_served', 'not_evaluated', 'past_expected_end', 'manual'],
  },
} as const satisfies Record<string, Option>;

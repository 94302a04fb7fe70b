import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { explainIssues } from './explain-issues.ts';
import { Key, Timestamp } from './schemas.ts';

const Body = Type.Partial(
  Type.Object({
    type: Type.Enum(['boolean', 'string', 'number']),
    role: Type.Enum(['admin', 'viewer']),
    percentage: Type.Integer({ minimum: 0, maximum: 100 }),
    days: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    kind: Type.Union([Type.Enum(['release', 'experiment', 'migration']), Type.Null()]),
    users: Type.Union([Type.Array(Type.String({ minLength: 1 }), { maxItems: 2 }), Type.Null()]),
    value: Type.Union([Type.String(), Type.Number(), Type.Array(Type.Union([Type.String(), Type.Number()]))]),
    rules: Type.Array(Type.Object({ days: Type.Union([Type.Integer({ maximum: 9 }), Type.Null()]) })),
    key: Key,
    at: Timestamp,
    on: Type.Boolean(),
    version: Type.Literal('v1'),
    'odd/name': Type.Integer({ maximum: 3 }),
    scope: Type.Object({}, { additionalProperties: false }),
  }),
);
const validator = Compile(Body);

test.each([
  [{ type: 'json' }, '/type', 'must be one of boolean, string or number'],
  [{ role: 'owner' }, '/role', 'must be admin or viewer'],
  [{ percentage: 101 }, '/percentage', 'must be between 0 and 100'],
  [{ percentage: 1.5 }, '/percentage', 'must be a whole number'],
  [{ days: 0 }, '/days', 'must be at least 1'],
  [{ days: 'x' }, '/days', 'must be a whole number or null'],
  [{ kind: 'other' }, '/kind', 'must be one of release, experiment or migration'],
  [{ users: ['a', 'b', 'c'] }, '/users', 'must have at most 2 items'],
  [{ users: [''] }, '/users/0', 'must not be empty'],
  [{ users: 'a' }, '/users', 'must be an array or null'],
  [{ value: {} }, '/value', 'must be one of a string, a number or an array'],
  [{ value: ['a', true] }, '/value/1', 'must be a string or a number'],
  [{ rules: [{ days: 1 }, { days: 10 }] }, '/rules/1/days', 'must be at most 9'],
  [
    { key: 'Dark Mode' },
    '/key',
    'must be lowercase letters and digits with single hyphens between them, such as dark-mode',
  ],
  [{ at: 'tomorrow' }, '/at', 'must be a time such as 2026-11-20T10:00:00Z'],
  [{ on: 0 }, '/on', 'must be true or false'],
  [{ version: 'v2' }, '/version', 'must be v1'],
  [{ 'odd/name': 4 }, '/odd~1name', 'must be at most 3'],
  [{ scope: { zap: 1 } }, '/scope/zap', 'is not a field here'],
])('explains what is allowed in place of %j', (body, place, message) => {
  const explained = explainIssues(Body, validator.Errors(body));
  expect(explained.map((issue) => [issue.instancePath, issue.message])).toEqual([[place, message]]);
});

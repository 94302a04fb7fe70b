import { expect, test } from 'vitest';
import { parseLosses } from './export-project.ts';
import { bodyOf, EMPTY_DRAFT, formatOf, type PlannedChange, plannedChanges } from './import-draft.ts';

test('the format of a file is read from its content', () => {
  expect(formatOf('{"$schema":"x","flags":{"a":{}}}')).toBe('flagd');
  expect(formatOf('{"apiVersion":"flagsvc/v1","flags":[]}')).toBe('flagsvc');
  expect(formatOf('apiVersion: flagsvc/v1')).toBe('flagsvc');
  expect(formatOf('null')).toBe('flagsvc');
  expect(formatOf('{"items":[{"key":"a","variations":[]}]}')).toBe('launchdarkly');
  expect(formatOf('{"flags":{"a":{"variations":[true,false]}},"segments":{}}')).toBe('launchdarkly');
  expect(formatOf('{"version":2,"features":[{"name":"a","strategies":[]}]}')).toBe('unleash');
  expect(formatOf('{"features":[],"featureStrategies":[]}')).toBe('unleash');
  expect(formatOf('{"features":{"a":{"defaultValue":1}}}')).toBe('growthbook');
});

test('only files of other products come with environments, and an empty comment is left out', () => {
  const file = { name: 'a', bytes: 2, text: '{}' };
  const draft = { ...EMPTY_DRAFT, file, environments: ['development'], comment: ' ' };
  expect(bodyOf(draft)).toEqual({ format: 'flagsvc', mode: 'merge', document: '{}' });
  expect(bodyOf({ ...draft, format: 'flagd', comment: ' why ' })).toMatchObject({
    environment_keys: ['development'],
    comment: 'why',
  });
});

test('refused changes come first, and the import itself is no change', () => {
  const change = (action: string, allowed: boolean) => ({ action, gate: { allowed } }) as PlannedChange;
  const plan = [change('flag.updated', true), change('flag.created', false), change('import.applied', true)];
  expect(plannedChanges({ data: { plan } }).map(({ action }) => action)).toEqual([
    'flag.created',
    'flag.updated',
  ]);
  expect(plannedChanges(undefined)).toEqual([]);
});

test('what flagd cannot express has a kind and a subject, with any characters', () => {
  expect(parseLosses('rule-cut=a/Rule%2C%20with%20comma, and-3-more')).toEqual([
    { kind: 'rule-cut', subject: 'a/Rule, with comma' },
    { kind: 'and-3-more', subject: '' },
  ]);
  expect(parseLosses('rule-cut=%zz')).toEqual([{ kind: 'rule-cut', subject: '%zz' }]);
  expect(parseLosses(null)).toEqual([]);
});

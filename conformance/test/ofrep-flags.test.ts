/** Another vendor's evaluator, flagd's, loads the flags of the OFREP suite and gives the values that the suite expects. */
import { readFileSync } from 'node:fs';
import { FlagdCore } from '@openfeature/flagd-core';
import { expect, test } from 'vitest';
import { loadOfrepScenarios } from '../src/scenarios/load.ts';
import { isObject } from '../src/suite/json-value.ts';
import { suiteDirectory } from '../src/suite/suite.ts';
import { pathOf } from './helpers.ts';

const core = new FlagdCore();
core.setConfigurations(readFileSync(pathOf('ofrep/flags.json'), 'utf8'));
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const resolve = (key: string, expected: unknown, context: Record<string, never>) => {
  if (typeof expected === 'boolean') return core.resolveBooleanEvaluation(key, false, context, silent);
  if (typeof expected === 'string') return core.resolveStringEvaluation(key, '', context, silent);
  if (typeof expected === 'number') return core.resolveNumberEvaluation(key, 0, context, silent);
  return core.resolveObjectEvaluation(key, {}, context, silent);
};

test('flagd gives the values and reasons of the scenarios', () => {
  const evaluations = loadOfrepScenarios(suiteDirectory()).scenarios.flatMap(({ id, steps }) =>
    steps.flatMap(({ call, body, expect: { status, body: answer } = {} }) => {
      const key = /^POST \/flags\/(ofrep-[\w-]+)$/.exec(call)?.[1];
      const { value, reason } = isObject(answer) ? answer : {};
      const exact = isObject(value) ? value['$exactly'] : value;
      if (key === undefined || status !== 200 || exact === undefined) return [];
      const { context } = body as { context: Record<string, never> };
      const got = resolve(key, exact, context);
      const expected = typeof reason === 'string' ? reason : got.reason;
      return [{ got: [id, got.value, got.reason], expected: [id, exact, expected] }];
    }),
  );
  expect(evaluations.length).toBeGreaterThan(35);
  expect(evaluations.map(({ got }) => got)).toEqual(evaluations.map(({ expected }) => expected));
});

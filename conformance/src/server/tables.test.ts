/** Every row of the specification's endpoint, error and limit tables has a scenario that tests it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pathOf } from '../../test/helpers.ts';
import { loadServerScenarios } from '../scenarios/load.ts';
import { suiteDirectory } from '../suite/suite.ts';
import type { ServerStep } from './types.ts';

const { scenarios } = loadServerScenarios(suiteDirectory());
const steps = scenarios.flatMap(({ steps }) => steps);
const text = readFileSync(pathOf('specification.md'), 'utf8');

/** The rows of the table with this head, each a list of cells. */
const tableOf = (head: string): string[][] => {
  // The last table with this head: the table of flag states has a status column too.
  const at = text.lastIndexOf(`\n| ${head} |\n`);
  expect(at, `the specification has a table ${head}`).toBeGreaterThan(0);
  const lines = text.slice(at + 1).split('\n');
  const rows = lines.slice(2, lines.indexOf('', 2)).map((line) => line.split('|').slice(1, -1));
  return rows.map((cells) => cells.map((cell) => cell.trim()));
};
const statuses = ({ expect: wanted }: ServerStep): readonly number[] => [wanted?.status ?? []].flat();
const anyStep = (holds: (step: ServerStep) => boolean): boolean => steps.some(holds);

/** Rows that no scenario can test, and why. */
const UNTESTABLE: Readonly<Record<string, string>> = {
  '500': 'a working server never returns it; every other case tests that',
};

test('tests each endpoint with and without its credential', () => {
  const rows = tableOf('Method | Path | Credential');
  expect(rows).toHaveLength(15);
  const asks = (call: string, path: string) =>
    new RegExp(`^${call} ${path.replace(/\{\w+\}/g, '\\{?[\\w-]+\\}?')}$`);
  const missing = rows.flatMap(([method, path, credential]) => {
    const calls = asks(method!, path!);
    const sent = steps.filter(({ call }) => calls.test(call));
    const succeeds = sent.some((step) => statuses(step).some((status) => status < 300));
    const refused = sent.some((step) => step.as === 'none' && statuses(step).includes(401));
    const open = credential!.startsWith('none');
    return [
      ...(succeeds ? [] : [`${method} ${path} succeeds`]),
      ...(open || refused ? [] : [`${method} ${path} without its credential`]),
    ];
  });
  expect(missing).toEqual([]);
});

test('tests each code together with its status, and each status', () => {
  const codes = tableOf('Code | HTTP | Condition');
  expect(codes).toHaveLength(10);
  const holds = (step: ServerStep, status: number, code: string) =>
    statuses(step).includes(status) && JSON.stringify(step.expect?.body ?? '').includes(`"${code}"`);
  const missingCodes = codes.filter(
    ([code, status]) => !anyStep((step) => holds(step, Number(status), code!)),
  );
  expect(missingCodes.map(([code]) => code)).toEqual([]);
  const rows = tableOf('Status | Meaning');
  expect(rows).toHaveLength(12);
  const missing = rows.filter(
    ([status]) => !UNTESTABLE[status!] && !anyStep((step) => statuses(step).includes(Number(status))),
  );
  expect(missing.map(([status]) => status)).toEqual([]);
});

test('uses up each limit with the documented number of requests, and tests each header', () => {
  const limits = tableOf('Endpoint category | Limit');
  expect(limits).toHaveLength(4);
  const missing = limits.filter(([, limit]) => {
    const number = Number(limit!.replaceAll(',', '').match(/^\d+/)?.[0]);
    return !anyStep(
      ({ untilLimited, expect: wanted }) =>
        untilLimited !== undefined &&
        untilLimited > number &&
        wanted?.headers?.['x-ratelimit-limit'] === number,
    );
  });
  expect(missing.map(([category]) => category)).toEqual([]);
  const headers = tableOf('Header | Meaning');
  expect(headers).toHaveLength(4);
  const untested = headers.filter(
    ([name]) => !anyStep((step) => Object.hasOwn(step.expect?.headers ?? {}, name!.toLowerCase())),
  );
  expect(untested.map(([name]) => name)).toEqual([]);
});

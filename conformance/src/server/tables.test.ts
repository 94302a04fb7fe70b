/** The rows of the specification's endpoint, error and limit tables, each with a scenario that asks a server for it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pathOf } from '../../test/helpers.ts';
import { loadServerScenarios } from '../scenarios/load.ts';
import { suiteDirectory } from '../suite/suite.ts';
import type { ServerStep } from './types.ts';

const { scenarios } = loadServerScenarios(suiteDirectory());
const steps = scenarios.flatMap(({ steps }) => steps);
const text = readFileSync(pathOf('specification.md'), 'utf8');

/** The rows below this head, each a list of cells. */
const tableOf = (head: string): string[][] => {
  // The last one of that head: the states of a flag have a status, too.
  const at = text.lastIndexOf(`\n| ${head} |\n`);
  expect(at, `the specification has a table ${head}`).toBeGreaterThan(0);
  const lines = text.slice(at + 1).split('\n');
  const rows = lines.slice(2, lines.indexOf('', 2)).map((line) => line.split('|').slice(1, -1));
  return rows.map((cells) => cells.map((cell) => cell.trim()));
};
const statuses = ({ expect: wanted }: ServerStep): readonly number[] => [wanted?.status ?? []].flat();
const anyStep = (holds: (step: ServerStep) => boolean): boolean => steps.some(holds);

/** A row that no scenario can ask for, and why. Empty would be best. */
const UNASKED: Readonly<Record<string, string>> = {
  '500': 'a server that works does not show it; that it never comes is asked by every other case',
};

test('asks for each endpoint: with success, and without its credential', () => {
  const rows = tableOf('Method | Path | Credential');
  expect(rows).toHaveLength(15);
  const asks = (call: string, path: string) =>
    new RegExp(`^${call} ${path.replace(/\{\w+\}/g, '\\{?[\\w-]+\\}?')}$`);
  const missing = rows.flatMap(([method, path, credential]) => {
    const calls = asks(method!, path!);
    const asked = steps.filter(({ call }) => calls.test(call));
    const succeeds = asked.some((step) => statuses(step).some((status) => status < 300));
    const refused = asked.some((step) => step.as === 'none' && statuses(step).includes(401));
    const open = credential!.startsWith('none');
    return [
      ...(succeeds ? [] : [`${method} ${path} succeeds`]),
      ...(open || refused ? [] : [`${method} ${path} without its credential`]),
    ];
  });
  expect(missing).toEqual([]);
});

test('asks for each status and each code, together', () => {
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
    ([status]) => !UNASKED[status!] && !anyStep((step) => statuses(step).includes(Number(status))),
  );
  expect(missing.map(([status]) => status)).toEqual([]);
});

test('uses up each limit, at its number, and asks for each header', () => {
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
  const lost = headers.filter(
    ([name]) => !anyStep((step) => Object.hasOwn(step.expect?.headers ?? {}, name!.toLowerCase())),
  );
  expect(lost.map(([name]) => name)).toEqual([]);
});

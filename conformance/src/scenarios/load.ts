import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseHead } from '../report/results.ts';
import { isObject } from '../suite/json-value.ts';
import type { Requirement } from '../suite/suite.ts';
import type { Scenario, ScenarioFile } from './types.ts';

/** A scenario as it is run. */
export interface LoadedScenario extends Scenario {
  readonly group: string;
}

/** Reads every file of a directory of scenarios, in order of name. */
export const readScenarioFiles = <File>(directory: string): File[] =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => name.endsWith('.json'))
        .sort()
        .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as File)
    : [];

/** All scenarios for SDKs, written out, and the requirements that they bring along. */
export const loadScenarios = (
  suiteDirectory: string,
): { readonly scenarios: readonly LoadedScenario[]; readonly requirements: readonly Requirement[] } => {
  const files = readScenarioFiles<ScenarioFile>(join(suiteDirectory, 'scenarios', 'sdk'));
  return {
    scenarios: files.flatMap(({ group, scenarios }) =>
      scenarios.flatMap((scenario) => writeOut({ ...scenario, group: `sdk/${group}` })),
    ),
    requirements: files.flatMap(({ requirements = [] }) => requirements),
  };
};

/** What a scenario looks like in a report. */
export const scenarioHead = ({ id, group, title, requirements, level }: LoadedScenario): CaseHead => ({
  id,
  group,
  title,
  requirements,
  level,
});

/** One scenario for each combination of its `for`. */
export const writeOut = <
  One extends { id: string; title: string; for?: Readonly<Record<string, readonly unknown[]>> },
>(
  scenario: One,
): One[] => {
  const { for: choices, ...rest } = scenario;
  if (!choices) return [scenario];
  let combinations: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(choices)) {
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return combinations.map((values, at) => ({
    ...(substitute(rest, values) as One),
    id: `${scenario.id}.${at + 1}`,
    title: `${scenario.title} (${Object.values(values).map(nameOf).join(', ')})`,
  }));
};

const nameOf = (value: unknown): string =>
  isObject(value) && typeof value['name'] === 'string' ? value['name'] : JSON.stringify(value);

/** `"{{x}}"` alone becomes the value, `"{{x.y}}"` a field of it; within a text it is put in as text. */
const substitute = (value: unknown, values: Readonly<Record<string, unknown>>): unknown => {
  if (typeof value === 'string') {
    const whole = /^\{\{([\w.]+)\}\}$/.exec(value);
    if (whole) return lookUp(values, whole[1]!);
    return value.replace(/\{\{([\w.]+)\}\}/g, (_all, path: string) => String(lookUp(values, path)));
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, substitute(item, values)]));
};

const lookUp = (values: Readonly<Record<string, unknown>>, path: string): unknown => {
  let found: unknown = values;
  for (const name of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name];
  if (found === undefined) throw new Error(`the scenario has no value for {{${path}}}`);
  return found;
};

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RelayScenario } from '../relay/types.ts';
import type { CaseHead } from '../report/results.ts';
import type { RequestScenario, ServerScenario } from '../server/types.ts';
import { isObject } from '../suite/json-value.ts';
import { isPartOf } from '../suite/lifetime.ts';
import type { Requirement } from '../suite/requirement.ts';
import { versionOf } from '../suite/suite.ts';
import type { BaseScenario, Loaded, Scenario, ScenarioFile } from './types.ts';

/** A scenario for SDKs, ready to run. */
export type LoadedScenario = Loaded<Scenario>;
/** A scenario for servers, ready to run. */
export type LoadedServerScenario = Loaded<ServerScenario>;

interface LoadedFiles<One extends BaseScenario> {
  readonly scenarios: readonly Loaded<One>[];
  /** Requirements that the files add. */
  readonly requirements: readonly Requirement[];
}

/** All scenarios of a directory below `scenarios`, ordered by file name and expanded. */
const loadFiles = <One extends BaseScenario>(
  suiteDirectory: string,
  name: string,
  version: string,
): LoadedFiles<One> => {
  const directory = join(suiteDirectory, 'scenarios', name);
  const names = existsSync(directory) ? readdirSync(directory).filter((file) => file.endsWith('.json')) : [];
  const files = names
    .sort()
    .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as ScenarioFile<One>);
  return {
    scenarios: files.flatMap(({ group, scenarios }) =>
      scenarios
        .filter((scenario) => isPartOf(scenario, version))
        .flatMap((scenario) => expandChoices({ ...scenario, group: `${name}/${group}` })),
    ),
    requirements: files.flatMap(({ requirements = [] }) => requirements),
  };
};

/** Scenarios that test an SDK on the wire. */
export const loadScenarios = (
  suiteDirectory: string,
  version: string = versionOf(suiteDirectory),
): LoadedFiles<Scenario> => loadFiles(suiteDirectory, 'sdk', version);
/** Scenarios that test a server as a black box. */
export const loadServerScenarios = (
  suiteDirectory: string,
  version: string = versionOf(suiteDirectory),
): LoadedFiles<ServerScenario> => loadFiles(suiteDirectory, 'server', version);

/** Scenarios that test a server of OpenFeature's remote evaluation protocol. */
export const loadOfrepScenarios = (
  suiteDirectory: string,
  version: string = versionOf(suiteDirectory),
): LoadedFiles<RequestScenario> => loadFiles(suiteDirectory, 'ofrep', version);

/** Scenarios that test a relay between the kit's server and the kit's clients. */
export const loadRelayScenarios = (
  suiteDirectory: string,
  version: string = versionOf(suiteDirectory),
): LoadedFiles<RelayScenario> => loadFiles(suiteDirectory, 'relay', version);

/** How a scenario appears in a report. */
export const scenarioHead = ({ id, group, title, requirements, level }: Loaded<BaseScenario>): CaseHead => ({
  id,
  group,
  title,
  requirements,
  level,
});

/** Expands a scenario with `for` into one scenario per combination. */
export const expandChoices = <One extends BaseScenario>(scenario: One): One[] => {
  const { for: choices, ...rest } = scenario;
  if (!choices) return [scenario];
  let combinations: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(choices)) {
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return combinations.map((values, at) => ({
    ...(substituteChoices(rest, values) as One),
    id: `${scenario.id}.${at + 1}`,
    title: `${scenario.title} (${Object.values(values).map(nameOf).join(', ')})`,
  }));
};

const nameOf = (value: unknown): string =>
  isObject(value) && typeof value['name'] === 'string' ? value['name'] : JSON.stringify(value);

/**
 * Replaces a text `"{{x}}"` with the value of `x`, and `"{{x.y}}"` with the field `y` of that value. Inside a longer text,
 * the value is inserted as text.
 */
const substituteChoices = (value: unknown, values: Readonly<Record<string, unknown>>): unknown => {
  if (typeof value === 'string') {
    const whole = /^\{\{([\w.]+)\}\}$/.exec(value);
    if (whole) return lookUp(values, whole[1]!);
    return value.replace(/\{\{([\w.]+)\}\}/g, (_all, path: string) => String(lookUp(values, path)));
  }
  if (Array.isArray(value)) return value.map((item) => substituteChoices(item, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, substituteChoices(item, values)]),
  );
};

const lookUp = (values: Readonly<Record<string, unknown>>, path: string): unknown => {
  let found: unknown = values;
  for (const name of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name];
  if (found === undefined) throw new Error(`the scenario has no value for {{${path}}}`);
  return found;
};

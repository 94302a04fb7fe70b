import { join } from 'node:path';
import { readScenarioFiles, writeOut } from '../scenarios/load.ts';
import type { Requirement } from '../suite/suite.ts';
import type { ServerScenario, ServerScenarioFile } from './types.ts';

/** A server scenario as it is run. */
export interface LoadedServerScenario extends ServerScenario {
  readonly group: string;
}

/** All scenarios for servers, written out, and the requirements that they bring along. */
export const loadServerScenarios = (
  suiteDirectory: string,
): { readonly scenarios: readonly LoadedServerScenario[]; readonly requirements: readonly Requirement[] } => {
  const files = readScenarioFiles<ServerScenarioFile>(join(suiteDirectory, 'scenarios', 'server'));
  return {
    scenarios: files.flatMap(({ group, scenarios }) =>
      scenarios.flatMap((scenario) => writeOut({ ...scenario, group: `server/${group}` })),
    ),
    requirements: files.flatMap(({ requirements = [] }) => requirements),
  };
};

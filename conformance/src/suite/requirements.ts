import { loadOfrepScenarios, loadScenarios, loadServerScenarios } from '../scenarios/load.ts';
import type { Requirement } from './requirement.ts';
import { loadSuite, type Suite } from './suite.ts';

/** Every requirement by id: the specification's, the numbered sentences, and those that scenario files add. */
export const loadAllRequirements = (suite: Suite = loadSuite()): ReadonlyMap<string, Requirement> =>
  new Map(
    [
      ...suite.requirements.values(),
      ...loadScenarios(suite.directory, suite.version).requirements,
      ...loadServerScenarios(suite.directory, suite.version).requirements,
      ...loadOfrepScenarios(suite.directory, suite.version).requirements,
    ].map((requirement) => [requirement.id, requirement]),
  );

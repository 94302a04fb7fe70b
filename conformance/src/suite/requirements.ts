import { loadScenarios, loadServerScenarios } from '../scenarios/load.ts';
import { loadSuite, type Requirement, type Suite } from './suite.ts';

/** Every sentence that can be tested: the specification's, and those that the scenarios bring along. */
export const loadAllRequirements = (suite: Suite = loadSuite()): ReadonlyMap<string, Requirement> =>
  new Map(
    [
      ...suite.requirements.values(),
      ...loadScenarios(suite.directory, suite.version).requirements,
      ...loadServerScenarios(suite.directory, suite.version).requirements,
    ].map((requirement) => [requirement.id, requirement]),
  );

/** Where people find a sentence: under its number on its page, or in a section of the specification. */
export const sourceOf = ({ id, section }: Requirement): string => (/^[A-Z]+-\d+$/.test(id) ? id : section);

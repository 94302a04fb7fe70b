import type { Requirement } from '../suite/requirement.ts';
import {
  type CaseResult,
  type Counts,
  countOutcomes,
  OUTCOMES,
  type Outcome,
  type RunReport,
} from './results.ts';

/** The results of one implementation for one requirement. */
export interface Cell {
  readonly counts: Counts;
  /** The worst outcome; undefined when no case was run. */
  readonly outcome: Outcome | undefined;
  /** Failed and crashed cases. */
  readonly open: readonly CaseResult[];
}

/** One requirement, with a cell per implementation. */
export interface Row {
  readonly requirement: Requirement;
  readonly cells: readonly Cell[];
}

/** The requirements of one section, in the order of requirements.json. */
export interface Section {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** The matrix of requirements and implementations. A case counts for each requirement that it cites. */
export const toMatrix = (
  reports: readonly RunReport[],
  requirements: ReadonlyMap<string, Requirement>,
): Section[] => {
  const byRequirement = reports.map((report) => {
    const found = new Map<string, CaseResult[]>();
    for (const result of report.cases) {
      for (const id of result.requirements) {
        const list = found.get(id);
        if (list) list.push(result);
        else found.set(id, [result]);
      }
    }
    return found;
  });
  const named = new Set(byRequirement.flatMap((found) => [...found.keys()]));
  const unknown = [...named]
    .filter((id) => !requirements.has(id))
    .map((id): Requirement => ({ id, section: 'Other', sentence: id, level: 'optional' }));
  const rows = [...requirements.values(), ...unknown]
    .map((requirement) => ({
      requirement,
      cells: byRequirement.map((found) => toCell(found.get(requirement.id) ?? [])),
    }))
    // Leaves out requirements for which no case was run.
    .filter(({ cells }) => cells.some(({ outcome }) => outcome !== undefined));
  return [...Map.groupBy(rows, ({ requirement }) => requirement.section)].map(([name, list]) => ({
    name,
    rows: list,
  }));
};

const WORST_FIRST: readonly Outcome[] = [...OUTCOMES].reverse();

const toCell = (cases: readonly CaseResult[]): Cell => {
  const counts = countOutcomes(cases);
  return {
    counts,
    outcome: WORST_FIRST.find((outcome) => counts[outcome] > 0),
    open: cases.filter(({ outcome }) => outcome === 'fail' || outcome === 'crash'),
  };
};

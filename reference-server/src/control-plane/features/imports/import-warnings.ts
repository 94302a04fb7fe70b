import { WARNINGS_MAX, type Warning, type WarningCode } from '../../../http/warnings.ts';
import { createTimeSlice } from '../../../lib/time-slice.ts';
import type { SegmentRow } from '../../../publishing/compile-segments.ts';
import { ruleScope } from '../flags/checks/rule-scope.ts';
import { ruleWarnings } from '../flags/checks/rule-warnings.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { isSameState } from '../flags/plans/state-plan.ts';
import type { Loss } from './elsewhere/loss.ts';
import type { FlagStep, PlanRequest } from './import-steps.ts';

type NoteCode = Extract<
  WarningCode,
  | 'segment-kept'
  | 'environment-type-differs'
  | 'rollouts-reach-other-users'
  | 'field-ignored'
  | 'bucketing-attribute-ignored'
  | 'shares-rounded'
  | 'path-read-as-name'
  | 'missing-attributes-get-the-default'
  | 'rules-cut'
  | 'import-note'
>;

/** Message and remedy of a note, by its code. A note is `code` or `code=subject`. */
const NOTES: Readonly<Record<NoteCode, (subject: string) => readonly [message: string, remedy: string]>> = {
  'segment-kept': (key) => [
    `The document does not contain segment ${key}, which is kept.`,
    'Delete the segment if no flag needs it.',
  ],
  'environment-type-differs': (key) => [
    `Environment ${key} has another type in the document; its type does not change.`,
    'Change the type of the environment, or correct the document.',
  ],
  'rollouts-reach-other-users': () => [
    'flagd assigns users to buckets with a different hash. Percentages stay the same but reach other users.',
    'Expect users to change variations; no setting prevents it.',
  ],
  'field-ignored': (path) => [
    `${path} has no counterpart here and is left out.`,
    'Keep it elsewhere if something reads it.',
  ],
  'bucketing-attribute-ignored': (path) => [
    `${path} assigns buckets by an attribute other than the user key. Here the user key decides.`,
    'Expect users to change variations, and users with the same attribute to get different variations.',
  ],
  'shares-rounded': (path) => [
    `${path} has fractional percentages, which are rounded.`,
    'Adjust the weights if the difference matters.',
  ],
  'path-read-as-name': (path) => [
    `${path} is a path into nested objects. Here it is the name of one attribute.`,
    'Send that attribute under its full name, dots included.',
  ],
  'missing-attributes-get-the-default': (path) => [
    `${path} has a comparison that flagd takes as true when the attribute is missing. Here it is false, so users without the attribute get the default variation.`,
    'Send the attribute for every user, or change the default variation.',
  ],
  'rules-cut': (path) => [
    `${path} serves the default variation for a condition that cannot be imported. The rules after it are left out.`,
    'Add those rules by hand.',
  ],
  'import-note': (text) => [text, 'Compare the plan with the document before you apply it.'],
};

/** Notes whose subject is a path in the document. */
const PATH_NOTES: ReadonlySet<NoteCode> = new Set([
  'field-ignored',
  'bucketing-attribute-ignored',
  'shares-rounded',
  'missing-attributes-get-the-default',
  'rules-cut',
]);

/** A file of another product can lose something in each of its flags, and each loss counts. */
const PLAN_WARNINGS_MAX = 1_000;

/** The warnings that fit into one plan. When there are more, the last one says how many. */
export function limitWarnings(warnings: readonly Warning[]): readonly Warning[] {
  if (warnings.length <= PLAN_WARNINGS_MAX) return warnings;
  const shown = warnings.slice(0, PLAN_WARNINGS_MAX - 1);
  return [
    ...shown,
    noteWarning(`import-note=At least ${warnings.length - shown.length} more warnings are not shown.`),
  ];
}

/** Names of flags in other products have no limit. */
const SUBJECT_MAX = 300;

/** The warning for a note, or for something that another product's document has and ours cannot. */
export function noteWarning(note: string | Loss): Warning {
  if (typeof note !== 'string') {
    const { code, path, message, remedy } = note;
    const subject = path.slice(0, SUBJECT_MAX);
    return { code, field: subject, message: `${subject}: ${message}`, remedy, details: { subject } };
  }
  const [name = '', ...rest] = note.split('=');
  const code = Object.hasOwn(NOTES, name) ? (name as NoteCode) : 'import-note';
  const subject = code === 'import-note' ? note.replace(/^import-note=/, '') : rest.join('=');
  const [message, remedy] = NOTES[code](subject);
  const field = PATH_NOTES.has(code) ? subject : null;
  return { code, field, message, remedy, details: subject === '' ? {} : { subject } };
}

/** Warnings about the rules that the import would write. */
export async function warnOfSteps(
  { document, project, mode }: PlanRequest,
  steps: readonly FlagStep[],
): Promise<readonly Warning[]> {
  const scope = ruleScope(segmentRows({ document, project, mode }));
  const paths = new Map(document.flags?.map(({ key }, index) => [key, `flags.${index}`]));
  const environments = new Map(project.environments.map(({ id, key }) => [id, key]));
  const slice = createTimeSlice();
  const found: Warning[] = [];
  for (const { kind, key, before, after } of steps) {
    if (slice.isOver()) await slice.yieldToOthers();
    if (kind === 'archive') continue;
    for (const [environmentId, state] of after) {
      if (isUnchanged(before.get(environmentId), state)) continue;
      const environment = environments.get(environmentId) ?? environmentId.replace(/^new:/, '');
      const path = `${paths.get(key)}.environments.${environment}`;
      for (const { field, details, ...warning } of ruleWarnings(state, scope)) {
        const { environment_id, ...rest } = details;
        const address = {
          ...(environments.has(environmentId) && { environment_id }),
          environment_key: environment,
        };
        found.push({ ...warning, field: `${path}.${field}`, details: { ...rest, ...address } });
      }
    }
    if (found.length >= WARNINGS_MAX) break;
  }
  return found;
}

function isUnchanged(before: FlagState | undefined, after: FlagState): boolean {
  return before === undefined ? after.rules.length === 0 : isSameState(before, after);
}

/** The segments of the project after the import. */
function segmentRows({
  document,
  project,
  mode,
}: Pick<PlanRequest, 'document' | 'project' | 'mode'>): readonly SegmentRow[] {
  const known = new Set(project.segments.map(({ key }) => key));
  const given = (document.segments ?? []).filter(({ key }) => mode !== 'create_only' || !known.has(key));
  const replaced = new Set(given.map(({ key }) => key));
  const kept = project.segments.filter(({ key }) => !replaced.has(key));
  return [...kept, ...given].map(({ key, conditions, included, excluded }) => ({
    id: key,
    key,
    conditions_json: JSON.stringify(conditions),
    included_json: included == null ? null : JSON.stringify(included),
    excluded_json: JSON.stringify(excluded ?? []),
  }));
}

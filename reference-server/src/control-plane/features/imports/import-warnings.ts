import { setImmediate } from 'node:timers/promises';
import { WARNINGS_MAX, type Warning, type WarningCode } from '../../../http/warnings.ts';
import type { SegmentRow } from '../../../publishing/compile-segments.ts';
import { ruleScope, ruleWarnings } from '../flags/checks/rule-warnings.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { isSameState } from '../flags/plans/update-plan.ts';
import type { FlagStep, PlanRequest } from './import-plan.ts';

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

/** Message and remedy by the code of a note, which is `code` or `code=subject`. */
const NOTES: Readonly<Record<NoteCode, (subject: string) => readonly [message: string, remedy: string]>> = {
  'segment-kept': (key) => [
    `The document does not name segment ${key}; it is kept.`,
    'Delete the segment yourself if no flag needs it.',
  ],
  'environment-type-differs': (key) => [
    `Environment ${key} has another type in the document; its type stays as it is.`,
    'Change the type of the environment itself, or correct the document.',
  ],
  'rollouts-reach-other-users': () => [
    'flagd buckets users by another hash: the shares stay, and reach other users.',
    'Expect users to move; there is no setting that keeps them.',
  ],
  'field-ignored': (path) => [
    `${path} has no counterpart here; it is left out.`,
    'Keep it elsewhere if something reads it.',
  ],
  'bucketing-attribute-ignored': (path) => [
    `${path} buckets by another attribute than the user key; here the user key decides.`,
    'Expect users to move, and users who share that attribute to get different variations.',
  ],
  'shares-rounded': (path) => [
    `${path} has shares that are no whole percentages; they are rounded.`,
    'Adjust the weights if the difference matters.',
  ],
  'path-read-as-name': (path) => [
    `${path} reads a path into nested objects; here it is the name of one attribute.`,
    'Send that attribute flat, under the name with the dots.',
  ],
  'missing-attributes-get-the-default': (path) => [
    `${path} compares an attribute in a way that flagd matches when it is missing. Here no condition does: users without it get the default variation.`,
    'Send the attribute for every user, or set the default variation to what they should get.',
  ],
  'rules-cut': (path) => [
    `${path} serves the default for a condition that cannot be taken over; the rules behind it are left out.`,
    'Add those rules yourself.',
  ],
  'import-note': (text) => [text, 'Compare the plan with the document before you apply it.'],
};

/** Notes whose subject is a place in the document. */
const PLACED: ReadonlySet<NoteCode> = new Set([
  'field-ignored',
  'bucketing-attribute-ignored',
  'shares-rounded',
  'missing-attributes-get-the-default',
  'rules-cut',
]);

/** At most what an answer holds; the last one then says how many more there are. */
export function limitWarnings(warnings: readonly Warning[]): readonly Warning[] {
  if (warnings.length <= WARNINGS_MAX) return warnings;
  const shown = warnings.slice(0, WARNINGS_MAX - 1);
  return [
    ...shown,
    noteWarning(`import-note=At least ${warnings.length - shown.length} more warnings are not shown.`),
  ];
}

/** What a note of the reading says, as a warning. */
export function noteWarning(note: string): Warning {
  const [name = '', ...rest] = note.split('=');
  const code = Object.hasOwn(NOTES, name) ? (name as NoteCode) : 'import-note';
  const subject = code === 'import-note' ? note.replace(/^import-note=/, '') : rest.join('=');
  const [message, remedy] = NOTES[code](subject);
  const field = PLACED.has(code) ? subject : null;
  return { code, field, message, remedy, details: subject === '' ? {} : { subject } };
}

/** Flags that are looked at before the process serves others. */
const STRIDE = 200;

/** What the rules of the document would leave in the flags that it changes. */
export async function warnOfSteps(
  { document, reading, mode }: PlanRequest,
  steps: readonly FlagStep[],
): Promise<readonly Warning[]> {
  const scope = ruleScope(segmentRows({ document, reading, mode }));
  const places = new Map(document.flags?.map(({ key }, index) => [key, `flags.${index}`]));
  const environments = new Map(reading.environments.map(({ id, key }) => [id, key]));
  const found: Warning[] = [];
  for (const [index, { kind, key, before, after }] of steps.entries()) {
    if (index % STRIDE === STRIDE - 1) await setImmediate();
    if (kind === 'archive') continue;
    for (const [environmentId, state] of after) {
      if (isUntouched(before.get(environmentId), state)) continue;
      const environment = environments.get(environmentId) ?? environmentId.replace(/^new:/, '');
      const place = `${places.get(key)}.environments.${environment}`;
      for (const { field, details, ...warning } of ruleWarnings(state, scope)) {
        const { environment_id, ...rest } = details;
        const where = {
          ...(environments.has(environmentId) && { environment_id }),
          environment_key: environment,
        };
        found.push({ ...warning, field: `${place}.${field}`, details: { ...rest, ...where } });
      }
    }
    if (found.length >= WARNINGS_MAX) break;
  }
  return found;
}

function isUntouched(before: FlagState | undefined, after: FlagState): boolean {
  return before === undefined ? after.rules.length === 0 : isSameState(before, after);
}

/** The project's segments as the import leaves them. */
function segmentRows({
  document,
  reading,
  mode,
}: Pick<PlanRequest, 'document' | 'reading' | 'mode'>): readonly SegmentRow[] {
  const known = new Set(reading.segments.map(({ key }) => key));
  const given = (document.segments ?? []).filter(({ key }) => mode !== 'create_only' || !known.has(key));
  const replaced = new Set(given.map(({ key }) => key));
  const kept = reading.segments.filter(({ key }) => !replaced.has(key));
  return [...kept, ...given].map(({ key, conditions, included, excluded }) => ({
    id: key,
    key,
    conditions_json: JSON.stringify(conditions),
    included_json: included == null ? null : JSON.stringify(included),
    excluded_json: JSON.stringify(excluded ?? []),
  }));
}

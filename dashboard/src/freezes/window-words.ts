import type { Environment, FreezeWindow } from '../api/types.ts';
import { formatAnd } from '../i18n/format-number.ts';
import { t } from './messages.ts';

type Scope = FreezeWindow['scope'];
type Look = Pick<Environment, 'name' | 'type'>;

/** The environments of the project that a window names; other parts of its scope are in `scopeWords`. */
export function environmentsOf(scope: Scope, environments: readonly Environment[]): readonly Environment[] {
  return environments.filter(
    ({ id, type, project_id: project }) =>
      (scope.environment_ids.length === 0 || scope.environment_ids.includes(id)) &&
      (scope.environment_types.length === 0 || scope.environment_types.includes(type)) &&
      (scope.project_ids.length === 0 || scope.project_ids.includes(project)),
  );
}

/** Whether an occurrence freezes a production environment, which the calendar draws solid. */
export function reachesProduction(scope: Scope, environments: readonly Look[]): boolean {
  if (scope.environment_types.length > 0) return scope.environment_types.includes('production');
  const named = environments.filter(
    (environment) => 'id' in environment && scope.environment_ids.includes(String(environment.id)),
  );
  return named.length === 0 || named.some(({ type }) => type === 'production');
}

/** What a window covers, in words: "Production and Staging", "Every production environment". */
export function scopeWords(scope: Scope, environments: readonly Environment[]): string {
  const names = environments.filter(({ id }) => scope.environment_ids.includes(id)).map(({ name }) => name);
  const elsewhere = scope.environment_ids.length - names.length;
  const parts = [
    ...names,
    ...(elsewhere > 0 ? [t.elsewhere(elsewhere)] : []),
    ...(scope.environment_ids.length === 0 ? scope.environment_types.map((type) => t.everyOf[type]) : []),
  ];
  const what = parts.length > 0 ? formatAnd(parts) : t.everything;
  const limits = [
    ...(scope.environment_ids.length === 0 && scope.project_ids.length > 0
      ? [t.projects(scope.project_ids.length)]
      : []),
    ...(scope.tags.length > 0 ? [t.withTags(formatAnd(scope.tags))] : []),
  ];
  return [what, ...limits].join(', ');
}

/** What a window still allows: "Switch off and lower a rollout". */
export function allowWords(allow: FreezeWindow['allow']): string {
  if (allow.length === 0) return t.nothingWorks;
  const words = formatAnd(allow.map((kind) => t.allow[kind]));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type Repeat = 'never' | 'daily' | 'weekly' | 'monthly' | 'kept';

const SIMPLE: readonly (readonly [RegExp, Repeat])[] = [
  [/^FREQ=DAILY$/, 'daily'],
  [/^FREQ=WEEKLY(;BYDAY=[A-Z]{2})?$/, 'weekly'],
  [/^FREQ=MONTHLY(;BYMONTHDAY=\d+)?$/, 'monthly'],
];

/** How a window repeats; `kept` for a rule that the form cannot write. */
export function repeatOf(recurrence: FreezeWindow['recurrence']): Repeat {
  if (recurrence === null) return 'never';
  return SIMPLE.find(([pattern]) => pattern.test(recurrence.rule))?.[1] ?? 'kept';
}

/** `Every week, in Europe/Berlin`. */
export function repeatWords(recurrence: FreezeWindow['recurrence']): string {
  if (recurrence === null) return t.repeats.never;
  const repeat = repeatOf(recurrence);
  const words = repeat === 'kept' ? recurrence.rule : t.repeats[repeat];
  return t.repeatsOn(words, recurrence.timezone);
}

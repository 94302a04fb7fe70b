import type { components } from '@flagsvc/openapi';
import type { Environment, FreezeWindow } from '../api/types.ts';
import { formatMoment, toMs } from '../i18n/format-time.ts';
import type { DiffLine } from '../ui/diff.tsx';
import { t } from './messages.ts';
import { allowWords, type Repeat, repeatOf, repeatWords, scopeWords } from './window-words.ts';

export type WindowBody = components['schemas']['CreateFreezeWindowBody'];

const MINUTE_MS = 60_000;

/** What is frozen: chosen environments, every production environment, everything, or what the window has. */
export type Reach = 'some' | 'production' | 'all' | 'kept';

/** The form of a window. */
export interface WindowDraft {
  readonly name: string;
  readonly reason: string;
  readonly reach: Reach;
  readonly environmentIds: readonly string[];
  /** Undefined is now. */
  readonly startsAt: string | undefined;
  readonly endsAt: string | undefined;
  readonly isOpenEnd: boolean;
  readonly repeat: Repeat;
  readonly repeatUntil: string | undefined;
  readonly zone: string;
  readonly allow: FreezeWindow['allow'];
  readonly notifyMinutes: number;
}

/** A new window: production, from now, with what makes it safer allowed. */
export function emptyDraft(environments: readonly Environment[], zone: string): WindowDraft {
  return {
    name: '',
    reason: '',
    reach: 'some',
    environmentIds: environments.filter(({ type }) => type === 'production').map(({ id }) => id),
    startsAt: undefined,
    endsAt: undefined,
    isOpenEnd: false,
    repeat: 'never',
    repeatUntil: undefined,
    zone,
    allow: ['disable', 'rollout_decrease'],
    notifyMinutes: 0,
  };
}

export function draftOf(
  window: FreezeWindow,
  environments: readonly Environment[],
  zone: string,
): WindowDraft {
  const { recurrence, scope } = window;
  const known = environments.map(({ id }) => id);
  const firstEnd =
    recurrence && new Date(toMs(window.starts_at) + recurrence.duration_minutes * MINUTE_MS).toISOString();
  return {
    name: window.name,
    reason: window.reason,
    reach: reachOf(scope, known),
    environmentIds: scope.environment_ids,
    startsAt: window.starts_at,
    endsAt: firstEnd ?? window.ends_at ?? undefined,
    isOpenEnd: recurrence === null && window.ends_at === null,
    repeat: repeatOf(recurrence),
    repeatUntil: recurrence?.until ?? undefined,
    zone: recurrence?.timezone ?? zone,
    allow: window.allow,
    notifyMinutes: window.notify_before_minutes,
  };
}

function reachOf(scope: FreezeWindow['scope'], known: readonly string[]): Reach {
  const { environment_ids: ids, environment_types: types, project_ids: projects, tags } = scope;
  if (tags.length > 0 || projects.length > 0) return 'kept';
  if (ids.length > 0) return types.length === 0 && ids.every((id) => known.includes(id)) ? 'some' : 'kept';
  if (types.length === 0) return 'all';
  return types.length === 1 && types[0] === 'production' ? 'production' : 'kept';
}

/** Why the form cannot be sent yet; undefined when it can. */
export function draftFault(draft: WindowDraft, nowMs: number): string | undefined {
  const { name, reach, environmentIds, endsAt, isOpenEnd, repeat, startsAt } = draft;
  if (name.trim() === '') return t.form.nameFirst;
  if (reach === 'some' && environmentIds.length === 0) return t.form.chooseFirst;
  if (endsAt === undefined && (!isOpenEnd || repeat !== 'never')) return t.form.endFirst;
  const start = startsAt === undefined ? nowMs : toMs(startsAt);
  return endsAt !== undefined && !isOpenEnd && toMs(endsAt) <= start ? t.form.endAfterStart : undefined;
}

/** The body that makes or changes the window. `window` is the one that is edited. */
export function bodyOf(draft: WindowDraft, nowMs: number, window?: FreezeWindow): WindowBody {
  const { name, reason, startsAt, endsAt, isOpenEnd, repeat, allow, notifyMinutes } = draft;
  const isRepeated = repeat !== 'never';
  return {
    name: name.trim(),
    reason: reason.trim(),
    scope: scopeOf(draft, window),
    ...(startsAt !== undefined && { starts_at: startsAt }),
    ends_at: isRepeated ? (window?.recurrence ? window.ends_at : null) : isOpenEnd ? null : (endsAt ?? null),
    recurrence: isRepeated ? recurrenceOf(draft, nowMs, window) : null,
    allow: [...allow],
    notify_before_minutes: notifyMinutes,
  };
}

function scopeOf(
  { reach, environmentIds }: Pick<WindowDraft, 'reach' | 'environmentIds'>,
  window: FreezeWindow | undefined,
): FreezeWindow['scope'] {
  const none = { project_ids: [], environment_ids: [], environment_types: [], tags: [] };
  if (reach === 'kept' && window) return window.scope;
  if (reach === 'some') return { ...none, environment_ids: [...environmentIds] };
  return reach === 'production' ? { ...none, environment_types: ['production'] } : none;
}

function recurrenceOf(
  draft: WindowDraft,
  nowMs: number,
  window: FreezeWindow | undefined,
): NonNullable<FreezeWindow['recurrence']> {
  const { startsAt, endsAt, repeat, zone, repeatUntil } = draft;
  const start = startsAt === undefined ? nowMs : toMs(startsAt);
  const rules = { daily: 'FREQ=DAILY', weekly: 'FREQ=WEEKLY', monthly: 'FREQ=MONTHLY' };
  const rule = repeat === 'kept' || repeat === 'never' ? window!.recurrence!.rule : rules[repeat];
  const isSame = window?.recurrence && repeatOf(window.recurrence) === repeat;
  return {
    rule: isSame ? window.recurrence!.rule : rule,
    timezone: zone,
    duration_minutes: Math.round((toMs(endsAt!) - start) / MINUTE_MS),
    until: repeatUntil ?? null,
  };
}

/** What the form says, field by field, for the diff. */
function fieldWords(
  body: WindowBody,
  environments: readonly Environment[],
): Readonly<Record<string, string>> {
  const { fields, nothing, openEndShort, now } = t.form;
  const scope = body.scope as FreezeWindow['scope'];
  const moment = (instant: string | null | undefined, none: string) =>
    instant == null ? none : formatMoment(instant, body.recurrence?.timezone);
  return {
    [fields.name]: body.name,
    [fields.reason]: body.reason || nothing,
    [fields.scope]: scopeWords(scope, environments),
    [fields.starts]: moment(body.starts_at, now),
    [fields.ends]: body.recurrence
      ? moment(
          new Date(toMs(body.starts_at!) + body.recurrence.duration_minutes * MINUTE_MS).toISOString(),
          '',
        )
      : moment(body.ends_at, openEndShort),
    [fields.repeats]: repeatWords(body.recurrence ? { until: null, ...body.recurrence } : null),
    [fields.until]: moment(body.recurrence?.until, nothing),
    [fields.allow]: allowWords(body.allow as FreezeWindow['allow']),
    [fields.notify]: `${body.notify_before_minutes} ${t.form.minutes}`,
  };
}

/** The difference between two bodies in words. */
export function changedLines(
  before: WindowBody,
  after: WindowBody,
  environments: readonly Environment[],
): readonly DiffLine[] {
  const [old, next] = [fieldWords(before, environments), fieldWords(after, environments)];
  return Object.keys(next)
    .filter((what) => old[what] !== next[what])
    .map((what) => ({ id: what, what, from: old[what], to: next[what] }));
}

/** The whole window as a sentence: "Production: Mon, 23 Nov, 12:00 to Tue, 1 Dec, 09:00." */
export function draftSentence(
  draft: WindowDraft,
  {
    environments,
    window,
  }: { readonly environments: readonly Environment[]; readonly window: FreezeWindow | undefined },
): string {
  const what = scopeWords(scopeOf(draft, window), environments);
  const zone = draft.repeat === 'never' ? undefined : draft.zone;
  const from = draft.startsAt === undefined ? t.form.now : formatMoment(draft.startsAt, zone);
  const end = draft.endsAt === undefined ? t.form.noEnd : formatMoment(draft.endsAt, zone);
  const when = draft.isOpenEnd ? t.openEnd(from) : t.from(from, end);
  const repeat =
    draft.repeat === 'never' || draft.repeat === 'kept' ? '' : `, ${t.repeats[draft.repeat].toLowerCase()}`;
  return t.form.sentence(what, `${when}${repeat}`);
}

import type { paths } from '@flagsvc/openapi';
import type { ProjectFlag } from '../use-flag-list.ts';

export type BulkBody = NonNullable<
  paths['/api/v1/flags/bulk']['post']['requestBody']
>['content']['application/json'];

export const ACTIONS = [
  'add_tags',
  'remove_tags',
  'set_owner',
  'toggle',
  'archive',
  'restore',
  'unmark_stale',
] as const;
export type BulkAction = (typeof ACTIONS)[number];

/** One call for all flags: the API's action with what it needs. */
export interface Step {
  readonly action: BulkAction;
  readonly environmentId: string;
  readonly params?: NonNullable<BulkBody['params']>;
  readonly comment?: string;
}

/** A step with the flags that it is for. */
export interface StepForFlags {
  readonly step: Step;
  readonly ids: readonly string[];
}

/** The steps that make flags as they were before `step` changed them. */
export function undoOf(step: Step, flags: readonly ProjectFlag[]): readonly StepForFlags[] {
  const { action, environmentId, params = {} } = step;
  const each = (
    toParams: (flag: ProjectFlag) => NonNullable<BulkBody['params']> | undefined,
    undo: BulkAction,
  ): readonly StepForFlags[] =>
    grouped(flags, toParams).map(([shared, ids]) => ({
      step: { action: undo, environmentId, params: shared },
      ids,
    }));
  const ids = flags.map(({ id }) => id);
  const tags = params.tags ?? [];
  switch (action) {
    case 'add_tags':
      return each((flag) => ({ tags: tags.filter((tag) => !flag.tags.includes(tag)) }), 'remove_tags');
    case 'remove_tags':
      return each((flag) => ({ tags: tags.filter((tag) => flag.tags.includes(tag)) }), 'add_tags');
    case 'set_owner':
      return each((flag) => ({ owner_id: flag.owner?.id ?? null }), 'set_owner');
    case 'toggle':
      return [{ step: { action, environmentId, params: { enabled: true } }, ids }];
    case 'archive':
      return [{ step: { action: 'restore', environmentId }, ids }, ...switchedOnAgain(flags)];
    case 'restore':
      return [{ step: { action: 'archive', environmentId }, ids }];
    default:
      return [{ step: { action: 'mark_stale' as BulkAction, environmentId }, ids }];
  }
}

/** Restored flags are switched off everywhere. */
function switchedOnAgain(flags: readonly ProjectFlag[]): readonly StepForFlags[] {
  const places = new Map<string, string[]>();
  for (const { id, environments } of flags)
    for (const { environment_id: place, enabled } of environments)
      if (enabled) places.set(place, [...(places.get(place) ?? []), id]);
  return [...places].map(([environmentId, ids]) => ({
    step: { action: 'toggle', environmentId, params: { enabled: true } },
    ids,
  }));
}

/** Flags that need the same parameters, together. */
function grouped<Params>(
  flags: readonly ProjectFlag[],
  toParams: (flag: ProjectFlag) => Params,
): readonly (readonly [Params, readonly string[]])[] {
  const groups = new Map<string, { readonly params: Params; readonly ids: string[] }>();
  for (const flag of flags) {
    const params = toParams(flag);
    const key = JSON.stringify(params);
    const group = groups.get(key) ?? { params, ids: [] };
    group.ids.push(flag.id);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ params, ids }) => [params, ids]);
}

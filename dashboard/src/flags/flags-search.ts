import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

export const VIEWS = ['all', 'mine', 'changed', 'stale', 'kill_switches', 'partly_rolled_out'] as const;
export const STATUSES = ['draft', 'active', 'stale', 'archived'] as const;
export const TYPES = ['boolean', 'string', 'number', 'json'] as const;
export const KINDS = ['release', 'experiment', 'ops_killswitch', 'permission', 'migration'] as const;
export const STATES = ['off', 'on', 'share', 'rules'] as const;
export const SORTS = ['name', 'created_at', 'updated_at', 'last_evaluated_at'] as const;

export type View = (typeof VIEWS)[number];

/** The state of the list in its address. */
export interface FlagsSearch {
  readonly view: View;
  readonly q: string | undefined;
  readonly tag: string | undefined;
  readonly status: (typeof STATUSES)[number] | undefined;
  readonly type: (typeof TYPES)[number] | undefined;
  readonly kind: (typeof KINDS)[number] | undefined;
  readonly state: (typeof STATES)[number] | undefined;
  /** `me`, or the id of a member. */
  readonly owner: string | undefined;
  readonly sort: (typeof SORTS)[number];
  readonly order: 'asc' | 'desc';
  /** `flag` opens the dialog that makes one. */
  readonly new: string | undefined;
}

export function parseFlagsSearch(raw: SearchParams): FlagsSearch {
  const sort = readChoice(raw['sort'], SORTS) ?? 'updated_at';
  return {
    view: readChoice(raw['view'], VIEWS) ?? 'all',
    q: readText(raw['q']),
    tag: readText(raw['tag']),
    status: readChoice(raw['status'], STATUSES),
    type: readChoice(raw['type'], TYPES),
    kind: readChoice(raw['kind'], KINDS),
    state: readChoice(raw['state'], STATES),
    owner: readText(raw['owner']),
    sort,
    order: readChoice(raw['order'], ['asc', 'desc']) ?? (sort === 'name' ? 'asc' : 'desc'),
    new: readText(raw['new']),
  };
}

/** Whether a filter beside the view hides flags. */
export function isFiltered({ q, tag, status, type, kind, state, owner }: FlagsSearch): boolean {
  return [q, tag, status, type, kind, state, owner].some((value) => value !== undefined);
}

/** The start of the person's day, from which "today" counts. */
export function startOfDay(now = new Date()): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
}

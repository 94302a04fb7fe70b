import { usePreference } from '../app/preferences/use-preferences.ts';
import type { FlagsSearch } from './flags-search.ts';

/** Filters and an order with a name, as the address has them. */
export interface SavedView {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
}

/** The person's views, in the order in which they were saved. */
export function useSavedViews() {
  const [kept, setViews] = usePreference<unknown>('flags.views', []);
  return { views: Array.isArray(kept) ? kept.filter(isView) : [], setViews };
}

/** What of the list's state is part of a view: everything but the defaults. */
export function paramsOf({ new: _new, ...search }: FlagsSearch): SavedView['params'] {
  const { sort, order, view, ...filters } = search;
  const isDefault = order === (sort === 'name' ? 'asc' : 'desc');
  const params = {
    ...filters,
    view: view === 'all' ? undefined : view,
    sort: sort === 'updated_at' ? undefined : sort,
    order: isDefault ? undefined : order,
  };
  return Object.fromEntries(
    Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** Whether the list shows this view. */
export function isShown({ params }: SavedView, search: FlagsSearch): boolean {
  const text = (of: SavedView['params']) => JSON.stringify(Object.entries(of).sort());
  return text(params) === text(paramsOf(search));
}

function isView(value: unknown): value is SavedView {
  const { name, params } = (value ?? {}) as Partial<SavedView>;
  return (
    typeof name === 'string' &&
    typeof params === 'object' &&
    params !== null &&
    Object.values(params).every((one) => typeof one === 'string')
  );
}

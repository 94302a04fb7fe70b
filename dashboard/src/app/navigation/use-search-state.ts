import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** A page's state in its address, as parsed by the page: filters, sort order, the open entry. */
export type SearchParams = Readonly<Record<string, unknown>>;

/**
 * The typed search parameters of the page, and the way to change some of them. `parse` gets whatever the address has
 * and returns what the page understands. A value of undefined leaves the address.
 */
export function useSearchState<T extends object>(
  parse: (raw: SearchParams) => T,
): readonly [T, (change: Partial<T>, how?: { readonly replace?: boolean }) => void] {
  const raw = useSearch({ strict: false }) as SearchParams;
  const navigate = useNavigate();
  const change = useCallback(
    (part: Partial<T>, { replace = false } = {}) =>
      void navigate({
        to: '.',
        search: ((before: SearchParams) => withoutEmpty({ ...before, ...part })) as never,
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
  return [parse(raw), change];
}

/** A text of the address, or undefined. Numbers count, because a text such as `42` is read as one. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** One of `choices`, or undefined. */
export function readChoice<T extends string>(value: unknown, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === value);
}

function withoutEmpty(params: SearchParams): SearchParams {
  return Object.fromEntries(
    Object.entries(params).filter(([, value]) => value !== undefined && value !== ''),
  );
}

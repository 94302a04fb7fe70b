import { invalid } from '../../../http/errors.ts';

export const OVERVIEW_SORTS = ['name', 'key', 'created_at', 'updated_at', 'last_evaluated_at'] as const;
export type OverviewSort = (typeof OVERVIEW_SORTS)[number];

export interface OverviewOrder {
  readonly sort: OverviewSort;
  readonly order: 'asc' | 'desc';
}

/** The last flag of a page: its sort value and its id. */
export interface LastFlag {
  readonly value: string;
  readonly id: string;
}

/** An opaque text that names the order of a list and the last flag of a page. */
export function writeCursor({ sort, order }: OverviewOrder, { value, id }: LastFlag): string {
  return Buffer.from(JSON.stringify([sort, order, value, id])).toString('base64url');
}

/** Throws VALIDATION_ERROR for a cursor that is damaged or belongs to a list in another order. */
export function readCursor(text: string, { sort, order }: OverviewOrder): LastFlag {
  const parts = parse(text);
  if (!Array.isArray(parts) || parts.length !== 4 || !parts.every((part) => typeof part === 'string')) {
    throw refusal('must be `meta.next_cursor` of the page before; start again without it');
  }
  const [itsSort, itsOrder, value, id] = parts as [string, string, string, string];
  if (itsSort !== sort || itsOrder !== order) {
    throw refusal('belongs to a list in another order; start again without it');
  }
  return { value, id };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

const refusal = (message: string) => invalid({ field: 'cursor', location: 'query', code: 'cursor', message });

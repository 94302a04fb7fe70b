import { type TArray, type TObject, type TSchema, Type } from 'typebox';
import { ERROR_CODES, type ErrorCode } from './errors.ts';

/** `{ data }`: the answer of one resource ("Response envelopes"). */
export function data<T>(value: T): { data: T } {
  return { data: value };
}

/** `{ data, meta }`: one page of a list. */
export function page<T>(
  items: readonly T[],
  meta: { readonly page: number; readonly per_page: number; readonly total: number },
): { data: readonly T[]; meta: { page: number; per_page: number; total: number } } {
  return { data: items, meta: { page: meta.page, per_page: meta.per_page, total: meta.total } };
}

/** The schema of `data(value)`. */
export function Data<T extends TSchema>(schema: T): TObject<{ data: T }> {
  return Type.Object({ data: schema });
}

const Meta = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  per_page: Type.Integer({ minimum: 1, maximum: 200 }),
  total: Type.Integer({ minimum: 0 }),
});

/** The schema of `page(items, meta)`. */
export function Page<T extends TSchema>(item: T): TObject<{ data: TArray<T>; meta: typeof Meta }> {
  return Type.Object({ data: Type.Array(item), meta: Meta });
}

/** Response schemas for the given codes, one per status, each with the codes that it may contain. */
export function errorAnswers(codes: readonly ErrorCode[]): Record<number, TSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const status = ERROR_CODES[code][0];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, sameStatus]) => [
      status,
      Type.Object(
        {
          error: Type.Object({
            code: Type.Enum(sameStatus),
            message: Type.String(),
            details: Type.Record(Type.String(), Type.Unknown()),
          }),
        },
        { description: sameStatus.map((code) => `${code}: ${ERROR_CODES[code][1]}`).join('\n') },
      ),
    ]),
  );
}

/** Readers for documents of other products, which hold anything: they return undefined for a value of another type. */

export type Fields = Readonly<Record<string, unknown>>;
export type Scalar = string | number | boolean;

export const asFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || asNumber(value) !== undefined;

/** The list with each of its entries that is an object, and the position of that entry. */
export const asObjects = (value: unknown): readonly (readonly [index: number, fields: Fields])[] =>
  asList(value).flatMap((one, index) => {
    const fields = asFields(one);
    return fields === undefined ? [] : [[index, fields] as const];
  });

/**
 * JSON of a caller's value, independent of the host's prototypes (decisions/0010): it ignores a `toJSON` that all
 * arrays or objects inherit, as from old versions of Prototype.js, and a replaced one of dates. Objects with a `toJSON`
 * of their own keep it.
 */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, function (this: { readonly [name: string]: unknown }, name, converted) {
    const original = this[name];
    if (original instanceof Date) return Number.isFinite(+original) ? original.toISOString() : null;
    const isPlain = Array.isArray(original) || Object(original).toJSON === Object().toJSON;
    return isPlain ? original : converted;
  });

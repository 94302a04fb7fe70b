/**
 * The JSON of a value, independent of patched prototypes (decisions/0010). It ignores a `toJSON` that all arrays or
 * objects inherit (old versions of Prototype.js add one), and a replaced `toJSON` of dates. It calls the `toJSON` of
 * any other object.
 */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, function (this: { readonly [name: string]: unknown }, name, converted) {
    const original = this[name];
    if (original instanceof Date) return Number.isFinite(+original) ? original.toISOString() : null;
    const isPlain = Array.isArray(original) || Object(original).toJSON === Object().toJSON;
    return isPlain ? original : converted;
  });

/**
 * JSON of what the caller handed in, whatever the host has put on the prototypes (decisions/0010): a `toJSON` that all
 * arrays or objects inherit, as old versions of Prototype.js bring one, or another one for dates. Objects with a
 * `toJSON` of their own keep it.
 */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, function (this: { readonly [name: string]: unknown }, name, converted) {
    const original = this[name];
    if (original instanceof Date) return Number.isFinite(+original) ? original.toISOString() : null;
    const isPlain = Array.isArray(original) || Object(original).toJSON === Object().toJSON;
    return isPlain ? original : converted;
  });

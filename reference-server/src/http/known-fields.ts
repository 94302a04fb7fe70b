import type { TSchema } from 'typebox';

/** Keeps only the fields that the schema names, at every depth. */
export function knownFields<Value extends object>(schema: TSchema, value: Value): Value {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, TSchema>> };
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(
    known.map(([name, field]) => [
      name,
      'properties' in properties[name]! && field != null ? knownFields(properties[name], field) : field,
    ]),
  ) as Value;
}

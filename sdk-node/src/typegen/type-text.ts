/** Parts of TypeScript's syntax. */

/** A string literal in single quotes. */
export const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** The name of a property, in quotes if it needs them. */
export const propertyName = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key));

/** A union of types, each once, sorted. */
export const union = (types: Iterable<string>): string => [...new Set(types)].sort().join(' | ');

import type { Flag, Json, Ruleset } from '@flagsvc/sdk-core';

/** A text as a literal of TypeScript, in single quotes. */
const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const name = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key));

const union = (types: Iterable<string>): string => [...new Set(types)].sort().join(' | ');

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The narrowest type without literals that has room for all values: what is missing in some is optional. */
const typeOf = (values: readonly Json[]): string => {
  const plain = values.filter((value) => typeof value !== 'object' || value === null);
  const types: string[] = plain.map((value) => (value === null ? 'null' : typeof value));
  const arrays = values.filter((value) => Array.isArray(value)) as Json[][];
  if (arrays.length > 0) {
    const elements = arrays.flat(1);
    types.push(`readonly (${elements.length > 0 ? typeOf(elements) : 'unknown'})[]`);
  }
  const objects = values.filter(isObject);
  if (objects.length > 0) types.push(objectType(objects));
  return union(types);
};

const objectType = (objects: readonly { readonly [name: string]: Json }[]): string => {
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))].sort();
  const fields = keys.map((key) => {
    const having = objects.filter((object) => Object.hasOwn(object, key));
    const mark = having.length < objects.length ? '?' : '';
    return `readonly ${name(key)}${mark}: ${typeOf(having.map((object) => object[key]!))}`;
  });
  return fields.length > 0 ? `{ ${fields.join('; ')} }` : 'Readonly<Record<string, never>>';
};

/** What a flag serves: variations that are texts one by one, everything else by its type. */
const flagType = ({ flag_type, variations }: Flag): string => {
  const values = variations.map(({ value }) => value);
  if (flag_type === 'string') return union(values.map((value) => literal(String(value))));
  return typeOf(values);
};

/** The declaration of all flags of a ruleset; the same flags give the same text, whatever their order or version. */
export const writeDeclaration = ({ flags }: Ruleset): string => {
  const lines = [...flags]
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .flatMap((flag) => [
      ...(flag.archived
        ? [
            '    /** @deprecated Archived: it serves its default variation to everybody, and may be removed. */',
          ]
        : []),
      `    ${name(flag.key)}: ${flagType(flag)};`,
    ]);
  return [
    '// Written by flagsvc-typegen. Do not change it by hand: run flagsvc-typegen again.',
    "import '@flagsvc/sdk-core';",
    '',
    "declare module '@flagsvc/sdk-core' {",
    '  interface Flags {',
    ...lines,
    '  }',
    '}',
    '',
  ].join('\n');
};

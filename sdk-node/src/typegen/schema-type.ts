/** The TypeScript type of a JSON Schema. Keywords that only narrow values, such as `minimum`, are ignored. */
import { literal, propertyName, union } from './type-text.ts';

/** A fault in a schema; `path` is a JSON pointer. */
export class SchemaError extends Error {
  constructor(path: string, problem: string) {
    super(`${path || '#'} ${problem}`);
  }
}

interface Schema {
  readonly [keyword: string]: unknown;
}

/** The place in the schema, and the references that led to it. */
interface Scope {
  readonly root: unknown;
  readonly path: string;
  readonly references: readonly string[];
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const at = (scope: Scope, ...steps: (string | number)[]): Scope => ({
  ...scope,
  path: [scope.path, ...steps].join('/'),
});

const listOf = (value: unknown, scope: Scope): readonly unknown[] => {
  if (!Array.isArray(value) || value.length === 0)
    throw new SchemaError(scope.path, 'must be a filled array');
  return value;
};

/** The type of a value that is written out. */
const constantType = (value: unknown): string => {
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) return `readonly [${value.map(constantType).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.entries(value).map(
    ([key, field]) => `readonly ${propertyName(key)}: ${constantType(field)}`,
  );
  return `{ ${fields.join('; ')} }`;
};

const referencedType = (reference: unknown, scope: Scope): string => {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference))
    throw new SchemaError(
      at(scope, '$ref').path,
      'must refer to a part of the same file, such as #/$defs/limit',
    );
  if (scope.references.includes(reference))
    throw new SchemaError(at(scope, '$ref').path, 'refers to itself; recursive schemas have no type here');
  const steps = reference.split('/').slice(1);
  let target: unknown = scope.root;
  for (const step of steps) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    target = target instanceof Object && Object.hasOwn(target, key) ? (target as Schema)[key] : undefined;
  }
  if (target === undefined) throw new SchemaError(at(scope, '$ref').path, `refers to nothing: ${reference}`);
  return schemaType(target, { ...scope, path: reference, references: [...scope.references, reference] });
};

const objectType = (
  { properties, required = [], additionalProperties: more }: Schema,
  scope: Scope,
): string => {
  const named = isObject(properties) ? Object.keys(properties).sort() : [];
  const others = more === false ? [] : [schemaType(more ?? true, at(scope, 'additionalProperties'))];
  if (named.length === 0) return `Readonly<Record<string, ${others[0] ?? 'never'}>>`;
  const fields = named.map((key) => {
    const mark = Array.isArray(required) && required.includes(key) ? '' : '?';
    const type = schemaType((properties as Schema)[key], at(scope, 'properties', key));
    return `readonly ${propertyName(key)}${mark}: ${type}`;
  });
  // An index signature must fit the named fields too, so that of others is unknown.
  if (more !== undefined && more !== false) fields.push('readonly [name: string]: unknown');
  return `{ ${fields.join('; ')} }`;
};

const arrayType = ({ prefixItems, items }: Schema, scope: Scope): string => {
  const rest = items === undefined ? 'unknown' : schemaType(items, at(scope, 'items'));
  if (prefixItems === undefined) return `readonly (${rest})[]`;
  const first = listOf(prefixItems, at(scope, 'prefixItems')).map((item, index) =>
    schemaType(item, at(scope, 'prefixItems', index)),
  );
  return `readonly [${[...first, ...(items === false ? [] : [`...(${rest})[]`])].join(', ')}]`;
};

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

const namedType = (name: unknown, schema: Schema, scope: Scope): string => {
  if (name === 'object') return objectType(schema, scope);
  if (name === 'array') return arrayType(schema, scope);
  if (typeof name === 'string' && Object.hasOwn(PLAIN, name)) return PLAIN[name]!;
  throw new SchemaError(at(scope, 'type').path, `is no type: ${JSON.stringify(name)}`);
};

/** The type of a schema at this place. Throws a SchemaError if the schema is broken, or too rich for a type. */
const schemaType = (schema: unknown, scope: Scope): string => {
  if (schema === true) return 'unknown';
  if (schema === false) return 'never';
  if (!isObject(schema)) throw new SchemaError(scope.path, 'must be an object or a boolean');
  const { $ref, allOf, type } = schema;
  if ($ref !== undefined) return referencedType($ref, scope);
  if (schema['const'] !== undefined) return constantType(schema['const']);
  if (schema['enum'] !== undefined) return union(listOf(schema['enum'], at(scope, 'enum')).map(constantType));
  for (const keyword of ['anyOf', 'oneOf']) {
    if (schema[keyword] === undefined) continue;
    const parts = listOf(schema[keyword], at(scope, keyword));
    return union(parts.map((part, index) => schemaType(part, at(scope, keyword, index))));
  }
  if (allOf !== undefined) {
    const parts = listOf(allOf, at(scope, 'allOf')).map((part, index) =>
      schemaType(part, at(scope, 'allOf', index)),
    );
    return parts.map((part) => `(${part})`).join(' & ');
  }
  if (Array.isArray(type)) return union(type.map((name) => namedType(name, schema, scope)));
  if (type !== undefined) return namedType(type, schema, scope);
  if (schema['properties'] !== undefined) return objectType(schema, scope);
  return schema['items'] === undefined && schema['prefixItems'] === undefined
    ? 'unknown'
    : arrayType(schema, scope);
};

/** The type of a whole schema. Throws a SchemaError if the schema is broken, or too rich for a type. */
export const typeOfSchema = (schema: unknown): string =>
  schemaType(schema, { root: schema, path: '#', references: ['#'] });

import type { Issue } from './explain-issues.ts';

/** The parts of a schema that bound sizes. */
export interface SizedSchema {
  readonly type?: string;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: SizedSchema;
  readonly properties?: Readonly<Record<string, SizedSchema>>;
}

/**
 * The first array or object with more entries than its schema allows; undefined when there is none. The validator checks
 * every item before it counts them, which takes 100 ms for a body with far too many. Unions are left to the validator.
 */
export function findOversize(schema: SizedSchema, value: unknown, path = ''): Issue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const { maxItems = Number.POSITIVE_INFINITY, items } = schema;
    if (value.length > maxItems) return issue('maxItems', path, maxItems);
    if (items === undefined || !isBounded(items)) return undefined;
    for (const [index, item] of value.entries()) {
      const found = findOversize(items, item, `${path}/${index}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const { maxProperties, properties = {} } = schema;
  if (maxProperties !== undefined && Object.keys(value).length > maxProperties)
    return issue('maxProperties', path, maxProperties);
  for (const name in properties) {
    const part = properties[name]!;
    if (!Object.hasOwn(value, name) || !isBounded(part)) continue;
    const found = findOversize(part, (value as Readonly<Record<string, unknown>>)[name], `${path}/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const bounded = new WeakMap<SizedSchema, boolean>();

/** Whether the schema bounds a size at any depth. */
function isBounded(schema: SizedSchema): boolean {
  let known = bounded.get(schema);
  if (known === undefined) {
    const { maxItems, maxProperties, items, properties = {} } = schema;
    const parts = [...Object.values(properties), ...(items === undefined ? [] : [items])];
    known = maxItems !== undefined || maxProperties !== undefined || parts.some(isBounded);
    bounded.set(schema, known);
  }
  return known;
}

function issue(keyword: 'maxItems' | 'maxProperties', instancePath: string, limit: number): Issue {
  return { keyword, instancePath, schemaPath: '', params: { limit } };
}

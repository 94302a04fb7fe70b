/** Which way a value goes: what clients give must still be taken, what they are answered must be what they know. */
export type Way = 'given' | 'answered';

/** A JSON Schema as documents of OpenAPI 3.1 have it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}

/** Follows a reference inside of its document. */
export type Follow = <Value extends object>(value: Value) => Value;

/** A place in both documents. */
export interface Pair {
  readonly way: Way;
  readonly where: string;
  readonly before: Schema;
  readonly after: Schema;
}

/** Why values that were good before are not good after, a line each. None when all of them are. */
export type CompareSchemas = (pair: Pair) => readonly string[];

/** Keywords that no value breaks. */
const ANNOTATIONS =
  /^(title|description|examples?|default|deprecated|readOnly|writeOnly|externalDocs|\$.*|x-.*)$/;
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
/** What is compared by its meaning; any other keyword has to stay as it is. */
const READ = [
  'type',
  'const',
  'items',
  'required',
  'properties',
  'patternProperties',
  'additionalProperties',
];
const ANYTHING: Schema = {};

/** Compares schemas of two documents. Schemas with a name are told of by it, once for all places. */
export function createCompareSchemas(ofBefore: Follow, ofAfter: Follow): CompareSchemas {
  const known = new Map<string, readonly string[]>();

  const compare: CompareSchemas = ({ way, where, before, after }) => {
    if (before === after) return [];
    const name = before.$ref?.split('/').at(-1);
    if (name === undefined) return compareAlternatives(way, where, before, after);
    const key = [way, before.$ref, after.$ref ?? JSON.stringify(after)].join(' ');
    const found = known.get(key);
    if (found !== undefined) return found;
    // A schema may hold itself: what is being looked at counts as good.
    known.set(key, []);
    const lines = compareAlternatives(way, `${way} ${name}`, before, after);
    known.set(key, lines);
    return lines;
  };

  /** Each way to be good on the narrow side needs one on the wide side; else the one in its place says what is missing. */
  const compareAlternatives = (way: Way, where: string, before: Schema, after: Schema): readonly string[] => {
    const [old, now] = [alternativesOf(before, ofBefore), alternativesOf(after, ofAfter)];
    const [narrow, wide] = way === 'given' ? [old, now] : [now, old];
    return narrow.flatMap((one, place) => {
      const tries = wide.flatMap((other, at) => {
        if (!isLike(one, other)) return [];
        const [earlier, later] = way === 'given' ? [one, other] : [other, one];
        const lines = compareAlike({ way, where, before: earlier, after: later });
        return [{ lines, isInPlace: at === place }];
      });
      const good = tries.find(({ lines }) => lines.length === 0);
      const nearest = good ?? tries.find(({ isInPlace }) => isInPlace) ?? tries[0];
      return nearest?.lines ?? [`${where}: ${way === 'given' ? 'no longer takes' : 'may be'} ${nameOf(one)}`];
    });
  };

  /** Of one type, and of one value if of any. */
  const compareAlike = (pair: Pair): readonly string[] => [
    ...compareLimits(pair),
    ...compareFields(pair),
    ...compareItems(pair),
  ];

  const compareItems = ({ way, where, before, after }: Pair): readonly string[] =>
    compare({ way, where: `${where}[]`, before: before.items ?? ANYTHING, after: after.items ?? ANYTHING });

  const compareFields = ({ way, where, before, after }: Pair): readonly string[] => {
    const [old, now] = [fieldsOf(before), fieldsOf(after)];
    const [narrow, wide] = way === 'given' ? [before, after] : [after, before];
    const needed = (wide.required ?? []).filter((name) => !narrow.required?.includes(name));
    const [restBefore, restAfter] = [restOf(before), restOf(after)];
    return [
      ...Object.entries(old).flatMap(([name, field]) =>
        now[name] === undefined
          ? [`${where}.${name}: is gone`]
          : compare({ way, where: `${where}.${name}`, before: field, after: now[name] }),
      ),
      ...needed
        .filter((name) => way === 'given' || now[name] !== undefined)
        .map((name) => `${where}.${name}: ${way === 'given' ? 'is needed now' : 'may be missing'}`),
      ...(restBefore !== undefined && restAfter !== undefined
        ? compare({ way, where: `${where}.*`, before: restBefore, after: restAfter })
        : []),
      ...(restBefore !== undefined && restAfter === undefined && way === 'given'
        ? [`${where}: no longer takes fields that it does not name`]
        : []),
    ];
  };

  return compare;
}

function compareLimits({ way, where, before, after }: Pair): readonly string[] {
  const [narrow, wide] = way === 'given' ? [before, after] : [after, before];
  return Object.keys(wide)
    .filter((keyword) => !READ.includes(keyword) && !ANNOTATIONS.test(keyword))
    .filter((keyword) => !isWithin(keyword, narrow[keyword], wide[keyword]))
    .map((keyword) => `${where}: ${keyword} is ${told(after[keyword])}, was ${told(before[keyword])}`);
}

function isWithin(keyword: string, narrow: unknown, wide: unknown): boolean {
  if (UPPER.includes(keyword)) return narrow !== undefined && Number(narrow) <= Number(wide);
  if (LOWER.includes(keyword)) return narrow !== undefined && Number(narrow) >= Number(wide);
  return JSON.stringify(narrow) === JSON.stringify(wide);
}

function told(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}

/** The ways to be good, each of one type and, where values are listed, of one value. */
function alternativesOf(schema: Schema, follow: Follow): readonly Schema[] {
  const { anyOf, oneOf, type, enum: values, ...rest } = follow(schema);
  const choices = anyOf ?? oneOf;
  const isChoice = Object.keys(rest).every((keyword) => ANNOTATIONS.test(keyword)) && type === undefined;
  if (choices !== undefined && isChoice) return choices.flatMap((one) => alternativesOf(one, follow));
  const whole = { ...rest, ...(anyOf && { anyOf }), ...(oneOf && { oneOf }) };
  if (values !== undefined) return values.map((value) => ({ ...whole, type: typeOf(value), const: value }));
  if (rest.const !== undefined) return [{ ...whole, type: typeOf(rest.const) }];
  return type === undefined ? [whole] : [type].flat().map((one) => ({ ...whole, type: one }));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function isLike(narrow: Schema, wide: Schema): boolean {
  const isOfType =
    wide.type === undefined ||
    wide.type === narrow.type ||
    (wide.type === 'number' && narrow.type === 'integer');
  return isOfType && (!('const' in wide) || JSON.stringify(wide.const) === JSON.stringify(narrow.const));
}

function nameOf({ type, const: value }: Schema): string {
  if (value !== undefined) return JSON.stringify(value);
  return type === 'null' ? 'null' : `any ${type ?? 'value'}`;
}

function fieldsOf({ properties, patternProperties }: Schema): Readonly<Record<string, Schema>> {
  return { ...properties, ...patternProperties };
}

/** What fields without a name have to be; undefined when there may be none. */
function restOf({ additionalProperties: rest }: Schema): Schema | undefined {
  return rest === false ? undefined : typeof rest === 'object' ? rest : ANYTHING;
}

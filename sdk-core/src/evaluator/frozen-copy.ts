/** A copy of a JSON value that nobody can change. Asks no `toJSON`, which hosts put on prototypes (decisions/0010). */
export const frozenCopy = <T>(value: T): T =>
  Object(value) === value
    ? (Object.freeze(Array.isArray(value) ? value.map(frozenCopy) : copyFields(value as object)) as T)
    : value;

const copyFields = (record: object): object =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, frozenCopy(value)]));

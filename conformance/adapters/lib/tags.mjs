/** Values that JSON lacks, as the suite tags them: `{"$number": "NaN"}`, `{"$absent": true}`, `{"$inherited": {…}}`. */

const NUMBERS = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isAbsent = (value) => isObject(value) && value.$absent === true && Object.keys(value).length === 1;

export const decodeTagged = (value) => {
  if (Array.isArray(value)) return value.map(decodeTagged);
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  if (names.length === 1 && typeof value.$number === 'string' && Object.hasOwn(NUMBERS, value.$number)) {
    return NUMBERS[value.$number];
  }
  const decoded = isObject(value.$inherited) ? Object.create(decodeTagged(value.$inherited)) : {};
  for (const name of names) {
    if (name === '$inherited' || isAbsent(value[name])) continue;
    // Assigning `__proto__` would set the prototype instead of a property.
    Object.defineProperty(decoded, name, {
      value: decodeTagged(value[name]),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return decoded;
};

import { usageError } from '../output/errors.ts';

/** `key=value` of a variation. Values are JSON, but for flags whose values are strings. */
export function readVariation(text: string, flagType: string): { key: string; name: string; value: unknown } {
  const [key, value] = readPair('--variation', text, 'key=value');
  return { key, name: key, value: flagType === 'string' ? value : readJson(`--variation ${key}`, value) };
}

/** `name=value` of an attribute; a value that reads as JSON is that, anything else is text. */
export function readAttribute(text: string): [name: string, value: unknown] {
  const [name, value] = readPair('--attribute', text, 'name=value');
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}

/** `variation=percentage`. */
export function readShare(text: string): { variation: string; percentage: number } {
  const shape = 'variation=percentage, such as on=25';
  const [variation, share] = readPair('A share', text, shape);
  if (!/^\d{1,3}%?$/.test(share)) throw wrongShape('A share', text, shape);
  return { variation, percentage: Number.parseInt(share, 10) };
}

export function readCount(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw usageError(`${option} is "${text}"; use a number from 1.`);
  return Number(text);
}

/** Whole hours from 0; undefined when nothing was given. */
export function readHours(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text) && Number(text) <= most) return Number(text);
  throw usageError(`${option} is "${text}"; use whole hours, from 0 to ${most}.`);
}

export function readJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`${what}: ${text} is not JSON.`);
  }
}

const wrongShape = (what: string, text: string, shape: string) =>
  usageError(`${what} is "${text}".`, `Write it as ${shape}.`);

function readPair(what: string, text: string, shape: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw wrongShape(what, text, shape);
  return [text.slice(0, at), text.slice(at + 1)];
}

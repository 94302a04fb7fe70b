import { CliError, EXIT, usageError } from '../output/errors.ts';

/** Parses `key=value` of a variation. The value is JSON, except for string flags. */
export function parseVariation(
  text: string,
  flagType: string,
): { key: string; name: string; value: unknown } {
  const [key, value] = parsePair('--variation', text, 'key=value');
  return { key, name: key, value: flagType === 'string' ? value : parseJson(`--variation ${key}`, value) };
}

/** Parses `name=value` of an attribute. A value that is not valid JSON is a string. */
export function parseAttribute(text: string): [name: string, value: unknown] {
  const [name, value] = parsePair('--attribute', text, 'name=value');
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}

/** Parses `variation=percentage`. */
export function parseShare(text: string): { variation: string; percentage: number } {
  const shape = 'variation=percentage, such as on=25';
  const [variation, share] = parsePair('share', text, shape);
  if (!/^\d{1,3}%?$/.test(share)) throw wrongShape('share', text, shape);
  return { variation, percentage: Number.parseInt(share, 10) };
}

/** Parses a whole number from 1 to 999,999. */
export function parseCount(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw usageError(`Invalid ${option} "${text}". Use a whole number from 1.`);
  return Number(text);
}

/** Parses whole hours from 0 to `most`; undefined stays undefined. */
export function parseHours(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text) && Number(text) <= most) return Number(text);
  throw usageError(`Invalid ${option} "${text}". Use whole hours from 0 to ${most}.`);
}

/** Checks the number of a revision. */
export function parseRevision(text: string): string {
  if (/^[1-9]\d{0,8}$/.test(text)) return text;
  throw usageError(`Invalid revision "${text}".`, 'Use a whole number from flags history.');
}

export function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`Invalid ${what}: ${text} is not JSON.`);
  }
}

/** Trims a token or key. Throws when it contains characters that a header cannot contain; the error does not show it. */
export function parseSecret(source: string, text: string): string {
  const secret = text.trim();
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new CliError(`${source} contains spaces, line breaks or non-ASCII characters.`, {
    code: 'UNAUTHENTICATED',
    exitCode: EXIT.denied,
  });
}

/** Parses the address of a server. Removes a trailing `/api/v1`, which people often copy too. */
export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${text}" is not a server address.`, 'Write it like http://127.0.0.1:8000.');
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('The server address must not contain a user name or password.');
  }
  return url.origin + url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

function wrongShape(what: string, text: string, shape: string): CliError {
  return usageError(`Invalid ${what} "${text}".`, `Write it as ${shape}.`);
}

function parsePair(what: string, text: string, shape: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw wrongShape(what, text, shape);
  return [text.slice(0, at), text.slice(at + 1)];
}

import { createHmac, hkdfSync } from 'node:crypto';
import type { Context, Json } from '@flagsvc/sdk-core';

/** Replaces a text by a pseudonym; within an environment, the same text always gets the same pseudonym. */
export type Pseudonym = (environmentId: string, text: string) => string;

/** Longer texts are dropped. */
const TEXT_LENGTH_MAX = 256;
const ITEMS_MAX = 50;
const ATTRIBUTES_MAX = 50;
/** Size of a context as JSON. */
const BYTES_MAX = 4_096;

/** The part of an email before the `@`. */
const MAILBOX = /[^\s@<>"]+(?=@)/g;

/** HMAC-SHA256 with a key derived from `FLAGSVC_API_SECRET_KEY`, so that texts cannot be guessed without it. */
export function createPseudonym(apiSecretKey: string): Pseudonym {
  const key = Buffer.from(hkdfSync('sha256', apiSecretKey, '', 'flagsvc recorded contexts', 32));
  return (environmentId, text) =>
    `anon-${createHmac('sha256', key).update(`${environmentId}\n${text}`).digest('hex').slice(0, 24)}`;
}

/**
 * The part of a context that may be stored (decisions/0032), as JSON: the user key and the attributes that rules refer
 * to. Pseudonyms replace the user key wherever it occurs, and the local part of emails. Undefined when the JSON is too
 * large.
 */
export function redactContext(
  { user_key, attributes = {} }: Context,
  keptAttributes: ReadonlySet<string>,
  pseudonym: (text: string) => string,
): string | undefined {
  const redactText = (text: string): string =>
    text === user_key ? pseudonym(text) : text.replace(MAILBOX, (mailbox) => pseudonym(mailbox));
  const redactValue = (name: string, value: unknown): Json | undefined => {
    if (typeof value === 'number' || typeof value === 'boolean') {
      return String(value) === user_key || name === 'user_key' ? pseudonym(String(value)) : value;
    }
    if (typeof value !== 'string' || value.length > TEXT_LENGTH_MAX) return undefined;
    return name === 'user_key' ? pseudonym(value) : redactText(value);
  };
  const kept: [string, Json][] = [];
  for (const name of keptAttributes) {
    if (!Object.hasOwn(attributes, name) || kept.length === ATTRIBUTES_MAX) continue;
    const value: unknown = attributes[name];
    if (!Array.isArray(value)) {
      const redacted = redactValue(name, value);
      if (redacted !== undefined) kept.push([name, redacted]);
      continue;
    }
    const items = value.length > ITEMS_MAX ? undefined : value.map((item) => redactValue(name, item));
    if (items?.every((item) => item !== undefined)) kept.push([name, items]);
  }
  const json = JSON.stringify({
    user_key: user_key ? pseudonym(user_key) : '',
    // `fromEntries` also takes an attribute named `__proto__`.
    ...(kept.length > 0 && { attributes: Object.fromEntries(kept) }),
  });
  return Buffer.byteLength(json) > BYTES_MAX ? undefined : json;
}

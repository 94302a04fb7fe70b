import type { Ruleset } from '@flagsvc/sdk-core';
import type { Dice } from '../flagd/random-project.ts';
import { ATTRIBUTES } from './random-rulesets.ts';

/** The ruleset, etags and connection that a random request refers to. */
export interface Subject {
  readonly ruleset: Ruleset;
  /** The etags of this version and earlier ones. */
  readonly etags: readonly string[];
  /** Each connection uses keys of its own, so that the order of requests with one key is fixed. */
  readonly connection: number;
}

/** Kinds of API keys; a frequent kind occurs several times. */
const KEYS = [...Array<string>(6).fill('server'), 'relay', 'client', 'restricted', 'looked-up'];

function randomKey(dice: Dice, { connection }: Subject): string {
  return `${dice.one(KEYS)}-${connection}`;
}

/** A raw HTTP request to the data plane; `name` becomes its request id. */
export function randomRequest(dice: Dice, subject: Subject, name: string): string {
  const kind = dice.below(100);
  if (kind < 57) return randomEvaluation(dice, subject, name);
  if (kind < 60) return randomOfrep(dice, subject, name);
  const headers: string[] = [];
  // Most polls come from SDKs that have this version.
  if (dice.chance(0.75)) headers.push(`if-none-match: ${randomTag(dice, subject)}`);
  if (dice.chance(0.3)) headers.push(`accept: ${dice.one(ACCEPT)}`);
  if (dice.chance(0.3))
    headers.push(`accept-encoding: ${dice.one(['gzip', 'br', 'identity', 'gzip, br;q=0.1'])}`);
  if (dice.chance(0.03)) headers.push('sec-fetch-site: same-origin');
  const apiKey = dice.chance(0.02) ? dice.one(['unknown', '']) : randomKey(dice, subject);
  const path = dice.chance(0.03) ? '/api/v1/sdk/ruleset?' : '/api/v1/sdk/ruleset';
  return write([`GET ${path} HTTP/1.1`, `x-api-key: ${apiKey}`, `x-request-id: ${name}`, ...headers]);
}

const ACCEPT = [
  'application/json',
  'application/msgpack',
  'application/msgpack, application/json;q=0.5',
  '*/*',
];

function randomTag(dice: Dice, { etags }: Subject): string {
  const newest = etags.at(-1)!;
  if (dice.chance(0.85)) return newest;
  return dice.one([...etags, '*', `"other", ${newest}`, newest.slice(2), '"other"', 'W/""']);
}

function randomEvaluation(dice: Dice, subject: Subject, name: string): string {
  const flags = randomSelection(dice, keysOf(subject));
  const body = JSON.stringify({ flags, context: randomContext(dice) });
  return writePost('/api/v1/evaluate', [randomKey(dice, subject), name], body);
}

/** A request of OpenFeature's protocol, for one flag or for all. */
function randomOfrep(dice: Dice, subject: Subject, name: string): string {
  const key = dice.one(keysOf(subject)).replaceAll(/\p{Surrogate}/gu, '');
  const path = dice.chance(0.9) ? `flags/${encodeURIComponent(key)}` : 'flags';
  const { user_key, attributes } = randomContext(dice);
  const body = JSON.stringify({ context: { targetingKey: user_key, ...attributes } });
  return writePost(`/ofrep/v1/evaluate/${path}`, [randomKey(dice, subject), name], body);
}

/** The keys of the flags in the ruleset; if it has none, an unknown key. */
function keysOf({ ruleset }: Subject): readonly string[] {
  return ruleset.flags.length > 0 ? ruleset.flags.map(({ key }) => key) : ['unknown'];
}

function randomSelection(dice: Dice, keys: readonly string[]): readonly string[] {
  const kind = dice.below(100);
  if (kind < 55) return [dice.one(keys)];
  if (kind < 75) return ['*'];
  if (kind < 95) return dice.some([...keys, 'unknown', 'toString'], 6);
  return ['*', ...dice.some([...keys, 'unknown', '*'], 3)];
}

/** A user from one of a few groups, sometimes with unusual attributes or a text for regular expressions. */
function randomContext(dice: Dice): {
  readonly user_key: string;
  readonly attributes: Readonly<Record<string, unknown>>;
} {
  const attributes: Record<string, unknown> = Object.create(null);
  for (const [name, values] of Object.entries(ATTRIBUTES)) {
    if (dice.chance(0.7)) attributes[name] = dice.one(values);
  }
  if (dice.chance(0.1))
    attributes[dice.one(['plan', 'age'])] = dice.one([null, [], ['pro', 5], {}, true, '1e400']);
  if (dice.chance(0.03)) attributes['note'] = dice.one(['x', 'ab']).repeat(dice.one([1, 50, 500, 5_000]));
  return { user_key: dice.chance(0.05) ? '' : `u-${dice.below(1_000)}`, attributes };
}

function writePost(path: string, [apiKey, name]: readonly [string, string], body: string): string {
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const head = [`POST ${path} HTTP/1.1`, `x-api-key: ${apiKey}`, `x-request-id: ${name}`];
  return write([...head, 'content-type: application/json', length], body);
}

function write(head: readonly string[], body = ''): string {
  return `${[...head, 'host: localhost'].join('\r\n')}\r\n\r\n${body}`;
}

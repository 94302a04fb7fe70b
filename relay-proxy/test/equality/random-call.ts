import { makePost } from '../../../reference-server/test/bodies/campaign.ts';
import { randomContext } from '../../../reference-server/test/flagd/random-context.ts';
import { createDice, type Dice } from '../../../reference-server/test/flagd/random-project.ts';
import type { Call } from './send-call.ts';

/** API keys by what they may do. */
export interface CallKeys {
  readonly server: string;
  readonly client: string;
  readonly relay: string;
  /** A client key for pages of `https://shop.example.com`. */
  readonly restricted: string;
}

const ORIGINS = ['https://shop.example.com', 'https://other.example.com', 'null', 'https://SHOP.example.com'];
const TYPES = [
  'application/json; charset=utf-8',
  'Application/JSON',
  'text/plain',
  'application/json; charset=latin1',
];
const ACCEPTS = ['*/*', 'application/json', 'application/msgpack', 'application/msgpack;q=0.5', 'text/html'];
const CODINGS = ['gzip', 'br', 'zstd', 'identity', 'gzip;q=0, br', 'GZIP', ''];
const ODD_TAGS = ['*', '"x"', 'W/"1-abc"', '', 'x', '"a", "b"', '"'];

/** The call made from a seed. `tags` are entity tags that the server has sent. */
export function randomCall(seed: number, keys: CallKeys, tags: readonly string[]): Call {
  const dice = createDice(seed);
  const roll = dice.below(100);
  if (roll < 12) return poll(dice, keys, tags);
  return roll < 28 ? hostileCall(seed, keys) : evaluation(dice, keys);
}

/** A valid evaluation, or one with an odd context, of some or all flags. */
function evaluation(dice: Dice, keys: CallKeys): Call {
  const isOfrep = dice.chance(0.15);
  const { user_key, attributes } = randomContext(dice);
  const body = isOfrep
    ? { context: { ...(user_key !== undefined && { targetingKey: user_key }), ...attributes } }
    : {
        flags: flagKeys(dice),
        context: { user_key: user_key ?? (dice.chance(0.3) ? undefined : 'u'), attributes },
      };
  const one = dice.chance(0.5) ? `/flag-${dice.below(42)}` : '';
  return {
    method: 'POST',
    path: isOfrep ? `/ofrep/v1/evaluate/flags${one}` : '/api/v1/evaluate',
    headers: {
      ...commonHeaders(dice, keys),
      'content-type': dice.chance(0.04) ? dice.one(TYPES) : 'application/json',
      ...(dice.chance(0.05) && { prefer: dice.one(['handling=strict', 'handling=lenient', 'x']) }),
    },
    body: Buffer.from(JSON.stringify(dice.chance(0.05) ? { ...body, extra: 1 } : body)),
  };
}

function flagKeys(dice: Dice): string[] {
  const roll = dice.below(10);
  if (roll < 4) return ['*'];
  if (roll < 5) return ['*', 'flag-1', 'missing', '__proto__'];
  return dice.some(
    [...Array.from({ length: 42 }, (_, index) => `flag-${index}`), 'missing', 'constructor'],
    8,
  );
}

/** A call with a malformed, huge, compressed or cut body. */
function hostileCall(seed: number, keys: CallKeys): Call {
  for (let next = seed; ; next += 1_000_003) {
    const { path, headers, body } = makePost(next, { keys });
    // The answer to a batch depends on the batches before it.
    if (!path.includes('events'))
      return { method: 'POST', path, headers, body: Buffer.concat([body].flat()) };
  }
}

/** A fetch of the ruleset, conditional or not, in any type and coding. */
function poll(dice: Dice, keys: CallKeys, tags: readonly string[]): Call {
  const tag = dice.chance(0.6) ? dice.one(tags) : dice.one(ODD_TAGS);
  const form = dice.one([tag, tag, tag, `"none", ${tag}`, tag.replace(/^W\//, ''), ` ${tag} `]);
  const view = dice.chance(0.1) ? `?view=${dice.one(['client', 'server', 'x'])}` : '';
  return {
    method: 'GET',
    path: `/api/v1/sdk/ruleset${view}`,
    headers: {
      ...commonHeaders(dice, keys),
      ...(dice.chance(0.7) && { 'if-none-match': form }),
      ...(dice.chance(0.5) && { accept: dice.one(ACCEPTS) }),
      ...(dice.chance(0.5) && { 'accept-encoding': dice.one(CODINGS) }),
    },
  };
}

function commonHeaders(dice: Dice, keys: CallKeys): Record<string, string> {
  const unknown = `${keys.server.slice(0, -1)}${keys.server.endsWith('x') ? 'y' : 'x'}`;
  const { server, client, relay, restricted } = keys;
  const key = dice.chance(0.9)
    ? dice.one([server, server, client, client, relay, restricted])
    : dice.one([unknown, '', 'sdk-dev-none', 'ü'.repeat(4), 'x'.repeat(5_000), undefined]);
  return {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(dice.chance(0.3) && { origin: dice.one(ORIGINS) }),
    ...(dice.chance(0.05) && { 'x-request-id': 'from-the-client' }),
  };
}

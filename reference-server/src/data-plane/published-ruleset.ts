import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { createEvaluator, type Flag, type Json, type Ruleset } from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { encode } from '@msgpack/msgpack';
import { createAnswerWriter } from './answer-writer.ts';
import { canonicalJson } from './canonical-json.ts';
import type { BodyCoding, BodyType, PublishedRuleset } from './ports.ts';

const compress = { gzip: promisify(gzip), br: promisify(brotliCompress) };

/** Quality 11 takes a hundred times as long as 5 for a tenth of the size, and a version may live for seconds. */
const BROTLI_QUALITY = 5;

/**
 * Makes a compiled ruleset ready to be served: evaluator, entity tag and, each when first asked for, the bytes.
 * Nothing of it changes afterwards, `fetched_at` included: one identity, the same bytes (decision 0041).
 */
export function createPublishedRuleset(ruleset: Ruleset, epoch: string): PublishedRuleset {
  const evaluator = createEvaluator(ruleset, { createRuleIndex });
  const bodies = new Map<string, Uint8Array | Promise<Uint8Array>>();

  const identity = (type: BodyType): Uint8Array =>
    type === 'json'
      ? Buffer.from(`{"data":${writeRuleset(ruleset, Object.keys(ruleset), jsonOfFlag)}}`)
      : encode({ data: ruleset }, { ignoreUndefined: true });

  const body = (type: BodyType, coding: BodyCoding): Uint8Array | Promise<Uint8Array> => {
    const name = `${type} ${coding}`;
    const known = bodies.get(name);
    if (known !== undefined) return known;
    const made = coding === 'identity' ? identity(type) : compressed(type, coding, name);
    bodies.set(name, made);
    return made;
  };

  // zlib works on its own threads; whoever asks meanwhile waits for the same bytes.
  const compressed = async (type: BodyType, coding: 'gzip' | 'br', name: string): Promise<Uint8Array> => {
    try {
      const bytes = await body(type, 'identity');
      const made =
        coding === 'gzip'
          ? await compress.gzip(bytes)
          : await compress.br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
      bodies.set(name, made);
      return made;
    } catch (error) {
      bodies.delete(name);
      throw error;
    }
  };

  return {
    environmentId: ruleset.environment_id,
    epoch,
    version: ruleset.version,
    etag: entityTag(ruleset),
    evaluator,
    evaluate: createAnswerWriter(evaluator),
    body,
  };
}

/** `W/"<version>-<16 hex of the SHA-256 of the canonical JSON without fetched_at>"`. */
function entityTag(ruleset: Ruleset): string {
  const names = Object.keys(ruleset).filter((name) => name !== 'fetched_at');
  const text = writeRuleset(ruleset, names.sort(), canonicalFlag);
  const hex = createHash('sha256').update(text).digest('hex');
  return `W/"${ruleset.version}-${hex.slice(0, 16)}"`;
}

/** The named members in this order; all but the flags are small. */
function writeRuleset(ruleset: Ruleset, names: readonly string[], writeFlag: (flag: Flag) => string): string {
  const members = names.map((name) => {
    const value = ruleset[name as keyof Ruleset];
    const text =
      name === 'flags' ? `[${ruleset.flags.map(writeFlag).join(',')}]` : canonicalJson(value as Json);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(',')}}`;
}

// From one version to the next most flags are the same objects, and so are their texts.
const canonicalFlag = remembered((flag) => canonicalJson(flag as unknown as Json));
const jsonOfFlag = remembered((flag) => JSON.stringify(flag));

function remembered(write: (flag: Flag) => string): (flag: Flag) => string {
  const texts = new WeakMap<Flag, string>();
  return (flag) => {
    let text = texts.get(flag);
    if (text === undefined) {
      text = write(flag);
      texts.set(flag, text);
    }
    return text;
  };
}

import { createHash } from 'node:crypto';
import type { Context, EvaluationResult, Json, Ruleset } from '@flagsvc/sdk-core';
import {
  flagsOf,
  type OpenFeatureMetadata,
  openFeatureMetadata,
  openFeatureReason,
} from '@flagsvc/sdk-core/openfeature';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { KeyGrant, PublishedRuleset } from '../ports.ts';

/** A flag's result in the shape of OpenFeature's remote evaluation protocol. */
export interface OfrepResult {
  readonly key: string;
  readonly value: unknown;
  readonly reason: string;
  readonly variant: string | null;
  readonly metadata: OpenFeatureMetadata;
}

/** Translates a result; undefined when the flag does not exist. */
export function toOfrep(ruleset: Ruleset, key: string, result: EvaluationResult): OfrepResult | undefined {
  const { value, reason, variation_key } = result;
  const flag = flagsOf(ruleset).get(key);
  if (reason === 'FLAG_NOT_FOUND' || flag === undefined) return undefined;
  const word = openFeatureReason(reason, flag);
  return {
    key,
    value,
    // The protocol has no reason for a default that depends on the context.
    reason: word === 'DEFAULT' ? 'UNKNOWN' : word,
    variant: variation_key,
    metadata: openFeatureMetadata(result, ruleset, flag),
  };
}

/** The entity tag of an evaluation of all flags: depends on the version, the context and the key. */
export function bulkEtag({ etag, epoch }: PublishedRuleset, context: Context, { keyId }: KeyGrant): string {
  const text = canonicalJson([epoch, etag, keyId, context as unknown as Json]);
  return `W/"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;
}

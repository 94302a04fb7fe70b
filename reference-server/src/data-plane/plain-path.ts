import { createHash } from 'node:crypto';
import {
  type Context,
  createEvaluator,
  type EvaluationResult,
  type Evaluator,
  type Json,
  type Ruleset,
} from '@flagsvc/sdk-core';
import { canonicalJson } from '../lib/canonical-json.ts';
import { canonicalMsgpack } from '../lib/canonical-msgpack.ts';
import { exposureMembers, exposureNotesOf } from './evaluate/exposure-members.ts';
import { measure } from './evaluate/measure.ts';
import { createPatternLoads } from './evaluate/pattern-loads.ts';
import { conditionsOf } from './evaluate/pattern-work.ts';
import type { EvaluateAnswer, FlagSelection, PublishedRuleset } from './ports.ts';
import { splitIntoChunks } from './ruleset/chunks.ts';
import { digestOfFlags, entityTag } from './ruleset/entity-tag.ts';
import { createBodies } from './ruleset/ruleset-bodies.ts';

/**
 * The plain way to serve a ruleset: one evaluator, `JSON.stringify`, nothing kept from the previous version. The fast
 * path must give the same bytes.
 */
export async function createPlainRuleset(ruleset: Ruleset, epoch: string): Promise<PublishedRuleset> {
  const evaluator = createEvaluator(ruleset);
  const chunks = splitIntoChunks(ruleset);
  const loads = createPatternLoads(chunks, conditionsOf(ruleset.segments));
  const json = Buffer.from(`{"data":${writeMembers(ruleset, Object.keys(ruleset))}}`);

  const membersOf = (flagKeys: FlagSelection, context: Context): readonly string[] => {
    if (flagKeys !== '*') return flagKeys.map((key) => memberOf(key, evaluator.evaluate(key, context)));
    const members: string[] = [];
    evaluator.visitAll(context, (key, result) => members.push(memberOf(key, result)));
    return members;
  };

  return {
    environmentId: ruleset.environment_id,
    epoch,
    version: ruleset.version,
    etag: entityTag(
      ruleset,
      chunks.map(({ flags }) => digestOfFlags(flags)),
    ),
    async digest() {
      const names = Object.keys(ruleset).filter((name) => name !== 'fetched_at');
      return createHash('sha256').update(writeMembers(ruleset, names.sort())).digest();
    },
    evaluator,
    jsonBytes: json.length,
    body: createBodies(async (type) => (type === 'json' ? json : canonicalMsgpack({ data: ruleset }))),
    evaluate: (flagKeys, context, evaluatedAt) => write(ruleset, membersOf(flagKeys, context), evaluatedAt),
    *evaluateInSteps(flagKeys, context, evaluatedAt) {
      const members: string[] = [];
      for (const key of flagKeys === '*' ? keysOf(evaluator) : flagKeys) {
        members.push(memberOf(key, evaluator.evaluate(key, context)));
        yield;
      }
      return write(ruleset, members, evaluatedAt);
    },
    measure: (flagKeys, context) => measure(loads, flagKeys, context),
  };
}

/** The named members of a ruleset as a JSON object, each value in canonical form. */
function writeMembers(ruleset: Ruleset, names: readonly string[]): string {
  const members = names.map((name) => {
    return `${JSON.stringify(name)}:${canonicalJson(ruleset[name as keyof Ruleset] as Json)}`;
  });
  return `{${members.join(',')}}`;
}

function memberOf(flagKey: string, result: EvaluationResult): string {
  return `${JSON.stringify(flagKey)}:${JSON.stringify(result)}`;
}

/** The body of POST /evaluate. Written member by member: an object would move keys that look like integers to the front. */
function write({ flags }: Ruleset, members: readonly string[], evaluatedAt: string): EvaluateAnswer {
  const exposures = exposureMembers([exposureNotesOf(flags)]);
  const evaluations = `"evaluations":{${members.join(',')}}`;
  return { body: `{"data":{${exposures}${evaluations},"evaluated_at":${JSON.stringify(evaluatedAt)}}}` };
}

/** The keys of the flags that exist for the evaluator, in its order. */
function keysOf(evaluator: Evaluator): readonly string[] {
  const keys: string[] = [];
  evaluator.visitAll({}, (key) => keys.push(key));
  return keys;
}

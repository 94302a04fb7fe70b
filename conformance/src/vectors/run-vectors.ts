import { performance } from 'node:perf_hooks';
import type { Answer, Hello } from '../adapter/messages.ts';
import { describe, type Session } from '../adapter/session.ts';
import type { CaseHead, CaseResult, Problem } from '../report/results.ts';
import { differences, isObject, type JsonObject, writeOut } from '../suite/json-value.ts';
import { measureSlowdown } from '../suite/slowdown.ts';
import type { Vector, VectorCall } from '../suite/suite.ts';
import { outlineFlag } from './outline-flag.ts';

/** What a vector looks like in a report. */
export const vectorHead = (vector: Vector): CaseHead => ({
  id: vector.id,
  group: `vectors/${vector.category}`,
  title: vector.why ?? vector.id,
  requirements: vector.requirements,
  level: vector.level,
});

/** Runs one vector: loads its ruleset, then asks all its calls. */
export const runVector = async (
  session: Session,
  hello: Hello,
  vector: Vector,
  options: { readonly slack: number },
): Promise<CaseResult> => {
  const started = performance.now();
  const head = vectorHead(vector);
  const done = (rest: Pick<CaseResult, 'outcome'> & Partial<CaseResult>): CaseResult => {
    const log = session.takeLog();
    const bad = rest.outcome !== 'pass' && log !== '';
    return { ...head, problems: [], ms: performance.now() - started, ...(bad && { log }), ...rest };
  };
  const gap = missing(hello, vector);
  if (gap !== undefined) return done({ outcome: 'skip', reason: gap });
  const loaded = await session.ask({ cmd: 'load', ruleset: writeOut(vector.ruleset) });
  if (loaded.kind !== 'ok') return done(withoutResult(loaded, 'load'));
  const refused = isObject(loaded.value) && loaded.value['refused'] === true;
  if (refused && !mayRefuse(vector.ruleset)) {
    return done({ outcome: 'fail', problems: [{ where: 'load', message: 'a whole ruleset was refused' }] });
  }
  const problems: Problem[] = [];
  for (const [at, { answer, ms, call }] of (await askAll(session, vector.calls)).entries()) {
    if (answer.kind === 'skipped' || answer.kind === 'crash')
      return done(withoutResult(answer, `call ${at + 1}`));
    const problem = judge(refused ? { ...call, expect: NOT_THERE } : call, answer, ms, options.slack);
    if (problem)
      problems.push({
        where: `call ${at + 1}`,
        flag: outlineFlag(vector.ruleset, call.flag),
        given: { flag: call.flag, context: call.context },
        ...problem,
      });
  }
  return done({ outcome: problems.length ? 'fail' : 'pass', problems });
};

/** What every call gives when the ruleset was refused and there was none before. */
const NOT_THERE: JsonObject = { value: null, reason: 'FLAG_NOT_FOUND', rule_id: null, variation_key: null };

/**
 * A client may refuse a ruleset whose frame is broken rather than serve what is left of it (decisions/0002); nothing
 * else may it refuse.
 */
const mayRefuse = (ruleset: unknown): boolean =>
  !isObject(ruleset) ||
  !Array.isArray(ruleset['flags']) ||
  !Array.isArray(ruleset['segments'] ?? []) ||
  !Number.isFinite(ruleset['version']) ||
  typeof ruleset['environment_id'] !== 'string';

/** What the adapter lacks for this vector, in words. */
const missing = (hello: Hello, vector: Vector): string | undefined => {
  if (!hello.capabilities.includes('evaluate')) return 'the adapter does not evaluate';
  const revision = vector.bucketing ?? 1;
  if (!hello.bucketing.includes(revision)) return `the adapter does not know bucketing revision ${revision}`;
  return undefined;
};

/** The outcome when an answer is no result. */
const withoutResult = (answer: Answer, where: string): Pick<CaseResult, 'outcome'> & Partial<CaseResult> => {
  if (answer.kind === 'skipped') return { outcome: 'skip', reason: answer.reason };
  if (answer.kind === 'crash') return { outcome: 'crash', reason: `${where}: ${answer.message}` };
  return { outcome: 'fail', problems: [{ where, message: describe(answer) }] };
};

interface Asked {
  readonly call: VectorCall;
  readonly answer: Answer;
  /** Of the single request; undefined in a batch. */
  readonly ms?: number;
}

/** All calls in one message; one by one where time counts, or where the batch was not understood. */
const askAll = async (session: Session, calls: readonly VectorCall[]): Promise<Asked[]> => {
  if (calls.length > 1 && calls.every(({ within_ms }) => within_ms === undefined)) {
    const answer = await session.ask({
      cmd: 'evaluate',
      calls: calls.map(({ flag, context }) => ({ flag, context })),
    });
    if (answer.kind === 'crash') return [{ call: calls[0]!, answer }];
    const results = answer.kind === 'ok' && (answer.value as { results?: unknown } | null)?.results;
    if (Array.isArray(results) && results.length === calls.length) {
      return calls.map((call, at) => ({ call, answer: { kind: 'ok', value: results[at] } }));
    }
  }
  const asked: Asked[] = [];
  for (const call of calls) {
    const started = performance.now();
    const answer = await session.ask({ cmd: 'evaluate', flag: call.flag, context: call.context });
    asked.push({ call, answer, ms: performance.now() - started });
    if (answer.kind === 'crash') break;
  }
  return asked;
};

const judge = (
  { expect, within_ms }: VectorCall,
  answer: Answer,
  ms: number | undefined,
  slack: number,
): Omit<Problem, 'where'> | undefined => {
  if (answer.kind !== 'ok') return { message: describe(answer), expected: expect };
  const wrong = differences(expect, answer.value);
  if (wrong.length) {
    return {
      message: `wrong: ${wrong.join(', ')}`,
      expected: expect,
      actual: inOrderOf(expect, answer.value),
    };
  }
  const limit = within_ms === undefined ? Number.POSITIVE_INFINITY : within_ms * slack;
  if (ms !== undefined && ms > limit && ms > limit * measureSlowdown()) {
    return {
      message: `took ${ms.toFixed(0)} ms; ${within_ms} ms are allowed, and ${slack} times that on a slow machine`,
    };
  }
  return undefined;
};

/** With the names in the order of the other's, so that people can lay the two side by side. */
const inOrderOf = (expected: object, actual: unknown): unknown => {
  if (!isObject(actual)) return actual;
  const known = Object.keys(expected).filter((name) => Object.hasOwn(actual, name));
  return { ...Object.fromEntries(known.map((name) => [name, actual[name]])), ...actual };
};

import type { CaseResult, Problem } from '../report/results.ts';
import { sameJson } from '../suite/json-value.ts';
import type { Check } from './check.ts';
import { CLOCK_CHECKS } from './check-clock.ts';
import { type Answer, EXTRAS, type Hello } from './messages.ts';
import { describe, type Session } from './session.ts';

const VARIATIONS = [
  { key: 'on', value: true },
  { key: 'off', value: false },
];
const rulesetOf = (conditions: readonly unknown[], key = 'check'): object => ({
  version: 1,
  environment_id: 'env_1',
  flags: [
    {
      key,
      flag_type: 'boolean',
      enabled: true,
      variations: VARIATIONS,
      default_variation: 'off',
      targeting_rules: [{ id: 'rule_1', priority: 1, conditions, variation: 'on' }],
    },
  ],
  segments: [],
  fetched_at: '2026-01-01T00:00:00Z',
});
/** Loads a ruleset with one rule. Throws the message that the check reports. */
const load = async (session: Session, conditions: readonly unknown[], key?: string): Promise<void> => {
  const answer = await session.ask({ cmd: 'load', ruleset: rulesetOf(conditions, key) });
  if (answer.kind !== 'ok') throw new Error(`load: ${describe(answer)}`);
};
const is = (value: unknown) => [{ attribute: 'plan', operator: 'is', value }];
const served = (answer: Answer): unknown =>
  answer.kind === 'ok'
    ? (answer.value as { variation_key?: unknown } | null)?.variation_key
    : describe(answer);
const evaluate = (session: Session, attributes: unknown, flag = 'check') =>
  session.ask({ cmd: 'evaluate', flag, context: { user_key: 'u1', attributes } });

/** What is wrong with an answer that should serve `expected`; undefined if nothing is. */
const expectServed = async (
  answer: Promise<Answer>,
  expected: string,
  hint: string,
): Promise<string | undefined> => {
  const got = served(await answer);
  return got === expected ? undefined : `variation_key is ${JSON.stringify(got)}, not "${expected}": ${hint}`;
};

const TEXTS: readonly [string, string][] = [
  ['ASCII', 'plain'],
  ['quotes and a backslash', '"\\"'],
  ['a line feed and a tab', 'a\nb\tc'],
  ['characters beyond ASCII', 'é東京'],
  ['a character beyond the basic plane', '😀'],
  ['U+2028, which some line readers treat as a line break', 'a\u2028b'],
  ['a NUL', 'a\u0000b'],
];

const CHECKS: readonly Check[] = [
  {
    id: 'hello',
    title: 'hello gives the same answer twice',
    async run(session, hello) {
      const again = await session.ask({ cmd: 'hello', protocol: 1 });
      return again.kind === 'ok' && sameJson(again.value, hello)
        ? undefined
        : `the second hello: ${describe(again)}`;
    },
  },
  {
    id: 'bucketing',
    title: 'hello lists revision 1 of bucketing',
    async run(_session, { bucketing }) {
      return bucketing.includes(1)
        ? undefined
        : 'every implementation must know revision 1, which the specification defines';
    },
  },
  {
    id: 'unknown-command',
    title: 'an unknown command is answered with `skipped`',
    async run(session) {
      const answer = await session.ask({ cmd: 'make.coffee' });
      return answer.kind === 'skipped'
        ? undefined
        : `answer {"skipped": {"reason": …}}, not ${describe(answer)}`;
    },
  },
  {
    id: 'load-evaluate',
    title: 'a ruleset is loaded and evaluated',
    needs: ['evaluate'],
    async run(session) {
      await load(session, is('pro'));
      const yes = await expectServed(evaluate(session, { plan: 'pro' }), 'on', 'the context is incomplete');
      return yes ?? expectServed(evaluate(session, { plan: 'free' }), 'off', 'every context matches');
    },
  },
  {
    id: 'result-fields',
    title: 'a result has value, reason, rule_id and variation_key',
    needs: ['evaluate'],
    async run(session) {
      await load(session, []);
      const answer = await evaluate(session, {});
      const expected = { value: true, reason: 'TARGETING_RULE', rule_id: 'rule_1', variation_key: 'on' };
      return answer.kind === 'ok' && sameJson(answer.value, expected)
        ? undefined
        : `expected ${JSON.stringify(expected)}, got ${describe(answer)}`;
    },
  },
  {
    id: 'load-replaces',
    title: 'a second load replaces the first',
    needs: ['evaluate'],
    async run(session) {
      await load(session, [], 'first');
      await load(session, [], 'second');
      const answer = await evaluate(session, {}, 'first');
      const reason = answer.kind === 'ok' && (answer.value as { reason?: unknown } | null)?.reason;
      return reason === 'FLAG_NOT_FOUND'
        ? undefined
        : `the flag of the first ruleset is still there: ${describe(answer)}`;
    },
  },
  {
    id: 'batch',
    title: 'the batch form answers in order',
    needs: ['evaluate'],
    async run(session) {
      await load(session, is('pro'));
      const plans = ['pro', 'free', 'pro', 'other'];
      const calls = plans.map((plan) => ({
        flag: 'check',
        context: { user_key: 'u', attributes: { plan } },
      }));
      const answer = await session.ask({ cmd: 'evaluate', calls });
      const results =
        answer.kind === 'ok' && (answer.value as { results?: { variation_key: string }[] } | null)?.results;
      if (!Array.isArray(results)) return `answer {"ok": {"results": […]}}, not ${describe(answer)}`;
      const got = results.map((result) => result?.variation_key).join();
      return got === 'on,off,on,off' ? undefined : `the results are out of order: ${got}`;
    },
  },
  {
    id: 'texts',
    title: 'texts arrive unchanged',
    needs: ['evaluate'],
    async run(session) {
      for (const [name, text] of TEXTS) {
        await load(session, is(text));
        const wrong = await expectServed(
          evaluate(session, { plan: text }),
          'on',
          `${name} is not transmitted unchanged`,
        );
        if (wrong) return wrong;
      }
      return undefined;
    },
  },
  {
    id: 'tags',
    title: 'tags for values that JSON lacks are decoded',
    needs: ['evaluate'],
    async run(session) {
      await load(session, [{ attribute: 'n', operator: 'gt', value: 1 }]);
      const infinite = await evaluate(session, { n: { $number: 'Infinity' } });
      if (served(infinite) !== 'off')
        return `{"$number": "Infinity"} is not finite, so it must not match gt 1: ${describe(infinite)}`;
      await load(session, [{ attribute: 'plan', operator: 'is_not', value: 'x' }]);
      const absent = evaluate(session, { plan: { $absent: true } });
      return expectServed(absent, 'off', '{"$absent": true} means that the attribute is absent');
    },
  },
  {
    id: 'own-names',
    title: 'names such as __proto__ are treated like any other',
    needs: ['evaluate'],
    async run(session) {
      await load(session, [{ attribute: '__proto__', operator: 'is', value: 'x' }]);
      // Parsed from text, because an object literal would set the prototype instead.
      const attributes = JSON.parse('{"__proto__": "x"}') as unknown;
      return expectServed(evaluate(session, attributes), 'on', 'the attribute __proto__ was lost');
    },
  },
  {
    id: 'large',
    title: 'a message of a megabyte arrives',
    needs: ['evaluate'],
    async run(session) {
      await load(session, is('pro'));
      const attributes = { plan: 'pro', padding: 'x'.repeat(1_000_000) };
      return expectServed(evaluate(session, attributes), 'on', 'a long line was cut');
    },
  },
  {
    id: 'many',
    title: 'many concurrent requests are all answered, each with its seq',
    needs: ['evaluate'],
    async run(session) {
      await load(session, is('pro'));
      const plans = Array.from({ length: 200 }, (_, at) => (at % 3 ? 'free' : 'pro'));
      const answers = await Promise.all(plans.map((plan) => evaluate(session, { plan })));
      const wrong = answers.findIndex(
        (answer, at) => served(answer) !== (plans[at] === 'pro' ? 'on' : 'off'),
      );
      return wrong < 0
        ? undefined
        : `request ${wrong + 1} got the answer to another request: ${describe(answers[wrong]!)}`;
    },
  },
  {
    id: 'survives',
    title: 'invalid rulesets do not end the adapter',
    needs: ['evaluate'],
    async run(session) {
      for (const ruleset of [null, 7, [], { flags: null }, { flags: [null, 7, {}] }]) {
        const answer = await session.ask({ cmd: 'load', ruleset });
        if (answer.kind === 'crash') return `load ${JSON.stringify(ruleset)}: ${answer.message}`;
        const result = await evaluate(session, {});
        if (result.kind === 'crash') return `evaluate after ${JSON.stringify(ruleset)}: ${result.message}`;
      }
      return undefined;
    },
  },
  {
    id: 'bucket',
    title: 'a bucket is correct, and so is its hash if the answer has one',
    needs: ['bucket'],
    async run(session) {
      const answer = await session.ask({ cmd: 'bucket', flag: 'a', user: 'b', bucketing: 1 });
      const { bucket, hash } = (answer.kind === 'ok' ? answer.value : {}) as {
        bucket?: unknown;
        hash?: unknown;
      };
      // 5381 · 33³ + 97 · 33² + 58 · 33 + 98
      return bucket === 42 && (hash === undefined || hash === 193_484_642)
        ? undefined
        : `a:b has hash 193484642 and bucket 42, got ${describe(answer)}`;
    },
  },
  {
    id: 'bucket-calls',
    title: 'many buckets are answered in order, or refused',
    needs: ['bucket'],
    async run(session) {
      const users = ['b', 'c', 'd'];
      const calls = users.map((user) => ({ flag: 'a', user, bucketing: 1 }));
      const answer = await session.ask({ cmd: 'bucket', calls });
      if (answer.kind === 'error') return undefined;
      const results =
        answer.kind === 'ok' && (answer.value as { results?: { bucket?: unknown }[] } | null)?.results;
      const got = Array.isArray(results) && results.map((result) => result?.bucket).join();
      return got === '42,43,44'
        ? undefined
        : `a:b, a:c and a:d have the buckets 42, 43 and 44; answer {"ok": {"results": […]}}, or an error if "calls" is not supported, not ${describe(answer)}`;
    },
  },
  {
    id: 'client-errors',
    title: 'an unknown client is an error, not a crash',
    needs: ['polling'],
    async run(session) {
      const answer = await session.ask({ cmd: 'client.status', id: 'nobody' });
      return answer.kind === 'error'
        ? undefined
        : `answer {"error": {"kind": …, "message": …}}, not ${describe(answer)}`;
    },
  },
  ...CLOCK_CHECKS,
];

/** Runs all checks against one adapter; calls `onCase` with each result. */
export const checkAdapter = async (
  session: Session,
  hello: Hello,
  onCase: (result: CaseResult) => void,
): Promise<void> => {
  for (const { id, title, needs = [], run } of CHECKS) {
    const head = {
      id: `adapter-${id}`,
      group: 'adapter',
      title,
      requirements: [],
      level: 'decided' as const,
    };
    const started = performance.now();
    const gap = needs.find((name) => !hello.capabilities.includes(name));
    if (gap !== undefined) {
      const outcome = EXTRAS.includes(gap) ? 'inapplicable' : 'skip';
      onCase({ ...head, outcome, ms: 0, problems: [], reason: `no capability "${gap}"` });
      continue;
    }
    session.takeLog();
    const message = await run(session, hello).catch((error: Error) => error.message);
    const log = session.takeLog();
    const outcome = message === undefined ? 'pass' : log.includes('[crash]') ? 'crash' : 'fail';
    const problems: Problem[] = outcome === 'fail' ? [{ where: id, message: message! }] : [];
    const ms = performance.now() - started;
    const reason = outcome === 'crash' && message !== undefined ? { reason: message } : {};
    onCase({ ...head, outcome, ms, problems, ...reason, ...(message !== undefined && log && { log }) });
  }
};

/** The number of checks. */
export const ADAPTER_CHECKS: number = CHECKS.length;

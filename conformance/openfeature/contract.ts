/** Runs the scenarios of OpenFeature's own suite against an OpenFeature provider, and returns what differs. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Json, Ruleset } from '@flagsvc/sdk-core';

type Record_ = Readonly<Record<string, Json>>;
export type ProviderState = 'stable' | 'not_ready' | 'error' | 'fatal' | 'stale';
export type Level = 'API' | 'Transaction' | 'Client' | 'Invocation' | 'Before Hooks';
export type ScenarioState = 'before' | 'after' | 'error' | 'finally';

/** One scenario, or one example of an outline. */
export interface Scenario {
  readonly id: string;
  readonly given: {
    readonly provider: ProviderState;
    readonly context?: Record_;
    readonly levels?: Readonly<Partial<Record<Level, Record_>>>;
    /** The level at which a hook is added. */
    readonly hooks?: 'client' | 'invocation';
  };
  readonly evaluate?: {
    readonly type: 'boolean' | 'string' | 'integer' | 'float' | 'object';
    readonly key: string;
    readonly default: Json;
    /** Number of evaluations. Default 1. Only the last result is checked. */
    readonly times?: number;
  };
  readonly then: {
    readonly value?: Json;
    readonly valueWithoutContext?: Json;
    readonly variant?: string;
    readonly reason?: string;
    readonly errorCode?: string;
    readonly flagKey?: string;
    /** Entries that the metadata must contain; it may have more. */
    readonly metadata?: Record_;
    readonly noMetadata?: true;
    readonly isMetadataFrozen?: true;
    readonly status?: string;
    readonly isAsync?: true;
    /** Attributes that the provider must receive; it may receive more. */
    readonly context?: Record_;
    readonly isContextKept?: true;
    /** Stages in order; other stages may come between them. */
    readonly stages?: readonly ScenarioState[];
    /** The details that the last stage receives; null stands for an absent field. */
    readonly hookDetails?: Record_;
  };
}

/** The evaluation details that both of OpenFeature's SDKs return. */
export interface Details {
  readonly flagKey: string;
  readonly value: unknown;
  readonly variant?: string | undefined;
  readonly reason?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly flagMetadata: object;
}

export interface Hook {
  before(): Record_ | undefined;
  after(about: object, details: Details): void;
  error(): void;
  finally(about: object, details: Details): void;
}

/** One of OpenFeature's SDKs with this project's provider in the given state, for one scenario. */
export interface Bench {
  status(): string;
  /** Throws if the SDK does not support the level. */
  setContext(level: Level, context: Record_): Promise<void> | void;
  addHook(at: 'client' | 'invocation', hook: Hook): void;
  /** Returns a promise only if the SDK does. */
  evaluate(method: string, key: string, fallback: Json): Details | Promise<Details>;
  /** The attributes that the provider received last. */
  receivedContext(): Record_;
  close(): Promise<void>;
}

/** Scenarios whose results differ from the suite's expectation, and the reason. */
export interface Difference {
  readonly reason: string;
  readonly subjects: readonly string[];
  readonly scenarios: readonly string[];
}

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
export const scenarios: readonly Scenario[] = read('scenarios.json').scenarios;
export const ruleset: Ruleset = read('ruleset.json');
export const differences: readonly Difference[] = read('differences.json').differences;

/** The reason for each expected difference of a subject, by scenario id. Throws when differences.json has an unknown id. */
export const differencesOf = (subject: string): ReadonlyMap<string, string> => {
  const ids = new Set(scenarios.map(({ id }) => id));
  const found = new Map<string, string>();
  for (const { reason, subjects, scenarios: named } of differences)
    for (const id of named) {
      if (!ids.has(id)) throw new Error(`differences.json names an unknown scenario: ${id}`);
      if (subjects.includes(subject)) found.set(id, reason);
    }
  return found;
};

const METHODS = {
  boolean: 'getBooleanDetails',
  string: 'getStringDetails',
  integer: 'getNumberDetails',
  float: 'getNumberDetails',
  object: 'getObjectDetails',
};
const holds = (whole: object, part: Record_) =>
  Object.entries(part).every(([name, value]) => isDeepStrictEqual((whole as Record_)[name], value));

/** Runs a scenario. Returns one message for each result that differs. */
export const run = async (
  { given, evaluate, then }: Scenario,
  open: (state: ProviderState) => Promise<Bench>,
): Promise<string[]> => {
  const wrong: string[] = [];
  const expect = (what: string, isTrue: boolean, got: unknown) => {
    if (!isTrue) wrong.push(`${what}: ${JSON.stringify(got)}`);
  };
  const bench = await open(given.provider);
  try {
    const stages: ScenarioState[] = [];
    let hooked: Details | undefined;
    const { 'Before Hooks': fromHook, ...levels } = given.levels ?? {};
    for (const [level, context] of Object.entries(levels)) await bench.setContext(level as Level, context);
    const context = structuredClone(given.context);
    if (context) await bench.setContext('Invocation', context);
    const note = (stage: ScenarioState) => (_: object, details: Details) => {
      stages.push(stage);
      hooked = details;
    };
    const hook: Hook = {
      before() {
        stages.push('before');
        return fromHook;
      },
      after: note('after'),
      error: () => void stages.push('error'),
      finally: note('finally'),
    };
    if (given.hooks || fromHook) bench.addHook(given.hooks ?? 'client', hook);
    if (then.status) expect('status', bench.status() === then.status, bench.status());
    if (!evaluate) return wrong;

    const ask = () => bench.evaluate(METHODS[evaluate.type], evaluate.key, evaluate.default ?? {});
    for (let times = 1; times < (evaluate.times ?? 1); times++) await ask();
    const answer = ask();
    if (then.isAsync) expect('a promise', answer instanceof Promise, typeof answer);
    const details = await answer;
    for (const name of ['value', 'variant', 'reason', 'errorCode', 'flagKey'] as const)
      if (name in then) expect(name, isDeepStrictEqual(details[name], then[name]), details[name]);
    const { flagMetadata } = details;
    if (then.metadata) expect('metadata', holds(flagMetadata, then.metadata), flagMetadata);
    if (then.noMetadata) expect('no metadata', Object.keys(flagMetadata).length === 0, flagMetadata);
    if (then.isMetadataFrozen) expect('frozen metadata', Object.isFrozen(flagMetadata), flagMetadata);
    if (then.context)
      expect('context', holds(bench.receivedContext(), then.context), bench.receivedContext());
    if (then.isContextKept) expect('context kept', isDeepStrictEqual(context, given.context), context);
    if (then.stages) {
      let at = -1;
      const inOrder = then.stages.every((stage) => {
        at = stages.indexOf(stage, at + 1);
        return at >= 0;
      });
      expect('stages', inOrder, stages);
    }
    for (const [name, value] of Object.entries(then.hookDetails ?? {})) {
      const got = hooked?.[name as keyof Details] ?? null;
      expect(`hook's ${name}`, isDeepStrictEqual(got, value), got);
    }
    if ('valueWithoutContext' in then) {
      await bench.setContext('Invocation', {});
      const { value } = await ask();
      expect('value without context', value === then.valueWithoutContext, value);
    }
  } catch (error) {
    wrong.push(String(error));
  } finally {
    await bench.close();
  }
  return wrong;
};

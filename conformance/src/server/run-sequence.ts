import { performance } from 'node:perf_hooks';
import type { Session } from '../adapter/session.ts';
import type { CaseHead, CaseResult } from '../report/results.ts';
import { checkPages, checkRuleset } from './sequence-checks.ts';
import { COMMANDS } from './sequence-commands.ts';
import { fetchRuleset, type SequenceState } from './sequence-state.ts';
import type { TestedServer } from './tested-server.ts';

/** A sequence of random commands; the same seed gives the same commands. */
export interface Sequence {
  readonly seed: number;
  readonly length: number;
}

export const sequenceHead = ({ seed, length }: Sequence, hasOtherEvaluator = false): CaseHead => ({
  id: `SEQ-${String(seed).padStart(3, '0')}`,
  group: 'server/SEQUENCES',
  title: `${length} random commands, seed ${seed}`,
  requirements: [
    ...(hasOtherEvaluator ? ['eval-identical'] : []),
    'version-ruleset',
    'ruleset-304',
    'toggle-only',
    'service-audit',
    'flag-inactive',
    'list-page',
    'auth-key-scope',
    'logout-invalidates',
  ],
  level: 'stated',
});

/**
 * Sends random commands to a server and checks its invariants after each; stops at the first violation. An
 * `otherEvaluator` must give the same results from the same rulesets.
 */
export const runSequence = async (
  server: TestedServer,
  sequence: Sequence,
  otherEvaluator?: Session,
): Promise<CaseResult> => {
  const started = performance.now();
  const log: string[] = [];
  const done = (rest: Partial<CaseResult> & Pick<CaseResult, 'outcome'>): CaseResult => ({
    ...sequenceHead(sequence, otherEvaluator !== undefined),
    problems: [],
    ms: performance.now() - started,
    ...rest,
  });
  try {
    server.http.takeFaults();
    const environment = await server.createProject('sequence');
    const state: SequenceState = {
      server,
      environment,
      random: createRandom(sequence.seed),
      flags: new Map(),
      audits: new Map(),
      ruleset: await fetchRuleset(server, environment.key),
      otherEvaluator,
      problems: [],
      log,
    };
    for (let at = 0; at < sequence.length && state.problems.length === 0; at++) {
      // Most commands need a flag, so the first one creates one.
      const [name, command] = COMMANDS[at === 0 ? 0 : state.random(COMMANDS.length)]!;
      log.push(`${at + 1}. ${name}`);
      const changes = await command(state);
      await checkRuleset(state, changes);
      for (const message of server.http.takeFaults()) state.problems.push({ where: name, message });
    }
    if (state.problems.length === 0) await checkPages(state);
    const { problems } = state;
    return done({
      outcome: problems.length ? 'fail' : 'pass',
      problems,
      ...(problems.length && { log: log.slice(-15).join('\n') }),
    });
  } catch (error) {
    return done({ outcome: 'crash', reason: (error as Error).message, log: log.slice(-15).join('\n') });
  }
};

/** A random number generator with a seed (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed >>> 0;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return below === 0 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

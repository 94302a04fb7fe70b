import type { PublishedRuleset, ServingPath } from '../ports.ts';
import { createBufferPool } from './buffer-pool.ts';
import { type AnswerCounts, createFastRuleset, type FastRuleset } from './fast-ruleset.ts';
import { answerPolls } from './polls.ts';

/** The fast way to serve rulesets: the bytes of the plain path for less processor time (decisions/0038). */
export interface FastPath extends Required<ServingPath> {
  readonly counts: Readonly<AnswerCounts>;
}

export function createFastPath(): FastPath {
  const counts: AnswerCounts = { polls: 0, rulesets: 0, evaluations: 0 };
  const pool = createBufferPool();
  /** The rulesets made here, which the next versions are prepared from. */
  const made = new WeakMap<PublishedRuleset, FastRuleset>();
  return {
    counts,
    async prepare(ruleset, epoch, previous) {
      const known = previous && made.get(previous);
      const published = await createFastRuleset({ pool, counts }, { ruleset, epoch, previous: known });
      made.set(published, published);
      return published;
    },
    answerPolls: (app, options) => answerPolls(app, options, counts),
  };
}

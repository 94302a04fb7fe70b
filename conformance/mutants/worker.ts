/** One core's share of the work: mutants in, the vectors that kill them out. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadSuite } from '../src/suite/suite.ts';
import type { Surface } from './mutant.ts';
import { asked, load, passes } from './trial.ts';

/** What the worker is sent. */
export interface Task {
  readonly script: string;
  readonly surface: Surface;
  /** From which vector on. */
  readonly from: number;
  /** Positions of vectors that are not asked. */
  readonly without: readonly number[];
  /** How many kills are enough. */
  readonly enough: number;
}

/** What it sends back. */
export interface Verdict {
  /** Positions of the vectors that the mutant fails. */
  readonly killers: readonly number[];
}

/** The vector under way, for whoever watches a mutant that does not end. */
const progress = workerData as Int32Array;
const vectors = asked(loadSuite());

parentPort!.on('message', ({ script, surface, from, without, enough }: Task) => {
  const killers: number[] = [];
  try {
    const subject = load(script);
    for (let at = from; at < vectors.length && killers.length < enough; at++) {
      if (without.includes(at)) continue;
      progress[0] = at;
      if (!passes(subject, vectors[at]!, surface)) killers.push(at);
    }
  } catch {
    // It does not even load: everything kills it.
    killers.push(0, 1);
  }
  parentPort!.postMessage({ killers } satisfies Verdict);
});
parentPort!.postMessage('ready');

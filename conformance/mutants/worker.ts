/** A worker thread that receives mutants and posts the vectors that kill them. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadSuite } from '../src/suite/suite.ts';
import type { Surface } from './mutant.ts';
import { load, passes, vectorsForMutants } from './trial.ts';

/** A message to the worker. */
export interface Task {
  readonly script: string;
  readonly surface: Surface;
  /** Position of the first vector to run. */
  readonly from: number;
  /** Positions of vectors to skip. */
  readonly without: readonly number[];
  /** Stop after this many vectors have failed. */
  readonly enough: number;
}

/** The worker's answer to a task. */
export interface Verdict {
  /** Positions of the vectors that the mutant fails. */
  readonly killers: readonly number[];
}

/** Shares the position of the current vector with the pool, which terminates a worker that does not progress. */
const progress = workerData as Int32Array;
const vectors = vectorsForMutants(loadSuite());

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
    // The mutant does not load, so every vector kills it; two are enough.
    killers.push(0, 1);
  }
  parentPort!.postMessage({ killers } satisfies Verdict);
});
parentPort!.postMessage('ready');

/** Runs mutants on all cores. A mutant that does not end is ended, and that counts as a kill. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { compile } from './compile.ts';
import type { Mutant, Surface } from './mutant.ts';
import type { Task, Verdict } from './worker.ts';

/** The longest that one mutant may stay with one vector. */
const PATIENCE_MS = 5_000;
/** A mutant that stayed too long with so many vectors is asked no more. */
const ENOUGH_STAYS = 3;

interface Hand {
  /** Positions of the vectors that the evaluator fails, `enough` of them unless there are fewer. */
  failures(surface: Surface, script: string, enough: number, without: readonly number[]): Promise<number[]>;
  close(): Promise<unknown>;
}

function createHand(): Hand {
  const progress = new Int32Array(new SharedArrayBuffer(4));
  let worker: Promise<Worker> | undefined;

  const start = (): Promise<Worker> =>
    new Promise((resolve, reject) => {
      const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: progress });
      started.once('message', () => resolve(started));
      started.once('error', reject);
    });

  /** The verdict, or undefined when the mutant stayed too long with one vector. */
  const ask = (on: Worker, task: Task): Promise<Verdict | undefined> =>
    new Promise((resolve) => {
      let [seen, since] = [-1, Date.now()];
      const watch = setInterval(() => {
        if (progress[0] !== seen) [seen, since] = [progress[0]!, Date.now()];
        else if (Date.now() - since > PATIENCE_MS) done(undefined);
      }, 250);
      const done = (verdict: Verdict | undefined): void => {
        clearInterval(watch);
        on.off('message', done);
        resolve(verdict);
      };
      on.on('message', done);
      on.postMessage(task);
    });

  return {
    async failures(surface, script, enough, without) {
      const killers: number[] = [];
      let [from, stays] = [0, 0];
      while (killers.length < enough && stays < ENOUGH_STAYS) {
        worker ??= start();
        const task = { script, surface, from, without, enough: enough - killers.length };
        const verdict = await ask(await worker, task);
        killers.push(...(verdict?.killers ?? [progress[0]!]));
        if (verdict) break;
        await (await worker).terminate();
        worker = undefined;
        from = progress[0]! + 1;
        stays++;
      }
      return killers;
    },
    close: async () => (await worker)?.terminate(),
  };
}

/** What came of a mutant: the positions of the vectors that kill it, or why it could not be planted. */
export type Outcome = readonly number[] | Error;

/**
 * Judges all mutants; `onOutcome` hears of each as it comes. Vectors that the evaluator itself fails kill nothing;
 * their positions are returned.
 */
export async function judgeAll(
  mutants: readonly Mutant[],
  enough: number,
  onOutcome: (mutant: Mutant, outcome: Outcome) => void,
): Promise<readonly number[]> {
  const hands = Array.from({ length: availableParallelism() }, createHand);
  try {
    const sound = await compile();
    const surfaces = [...new Set(mutants.map(({ surface }) => surface))];
    const failed = new Set<number>();
    for (const surface of surfaces) {
      for (const at of await hands[0]!.failures(surface, sound, Infinity, [])) failed.add(at);
    }
    const without = [...failed];
    const waiting = [...mutants];
    const work = async (hand: Hand): Promise<void> => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const script = await compile(mutant).catch((error: Error) => error);
        const isPlanted = typeof script === 'string';
        onOutcome(mutant, isPlanted ? await hand.failures(mutant.surface, script, enough, without) : script);
      }
    };
    await Promise.all(hands.map(work));
    return without;
  } finally {
    await Promise.all(hands.map((hand) => hand.close()));
  }
}

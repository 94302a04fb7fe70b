/** Runs mutants on all cores. A mutant that does not end is terminated, and the vector counts as its killer. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { compile } from './compile.ts';
import type { Mutant, Surface } from './mutant.ts';
import type { Task, Verdict } from './worker.ts';

/** Maximum time for one vector. */
const VECTOR_TIMEOUT_MS = 5_000;
/** After this many timeouts, the remaining vectors are skipped for the mutant. */
const MAX_TIMEOUTS = 3;

interface Runner {
  /**
   * Runs the evaluator until `enough` vectors have failed or all have run. Resolves with the positions of those that
   * failed.
   */
  failures(surface: Surface, script: string, enough: number, without: readonly number[]): Promise<number[]>;
  close(): Promise<unknown>;
}

function createRunner(): Runner {
  const progress = new Int32Array(new SharedArrayBuffer(4));
  let worker: Promise<Worker> | undefined;

  const start = (): Promise<Worker> =>
    new Promise((resolve, reject) => {
      const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: progress });
      started.once('message', () => resolve(started));
      started.once('error', reject);
    });

  /** Resolves with undefined when one vector times out. */
  const runTask = (on: Worker, task: Task): Promise<Verdict | undefined> =>
    new Promise((resolve) => {
      let [seen, since] = [-1, Date.now()];
      const watch = setInterval(() => {
        if (progress[0] !== seen) [seen, since] = [progress[0]!, Date.now()];
        else if (Date.now() - since > VECTOR_TIMEOUT_MS) done(undefined);
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
      let [from, timeouts] = [0, 0];
      while (killers.length < enough && timeouts < MAX_TIMEOUTS) {
        worker ??= start();
        const task = { script, surface, from, without, enough: enough - killers.length };
        const verdict = await runTask(await worker, task);
        killers.push(...(verdict?.killers ?? [progress[0]!]));
        if (verdict) break;
        await (await worker).terminate();
        worker = undefined;
        from = progress[0]! + 1;
        timeouts++;
      }
      return killers;
    },
    close: async () => (await worker)?.terminate(),
  };
}

/** The positions of the vectors that kill a mutant, or why it could not be planted. */
export type Outcome = readonly number[] | Error;

/**
 * Runs all mutants and calls `onOutcome` for each. Vectors that the original evaluator fails are left out; resolves
 * with their positions.
 */
export async function judgeAll(
  mutants: readonly Mutant[],
  enough: number,
  onOutcome: (mutant: Mutant, outcome: Outcome) => void,
): Promise<readonly number[]> {
  const runners = Array.from({ length: availableParallelism() }, createRunner);
  try {
    const sound = await compile();
    const surfaces = [...new Set(mutants.map(({ surface }) => surface))];
    const failed = new Set<number>();
    for (const surface of surfaces) {
      for (const at of await runners[0]!.failures(surface, sound, Infinity, [])) failed.add(at);
    }
    const without = [...failed];
    const waiting = [...mutants];
    const work = async (runner: Runner): Promise<void> => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const script = await compile(mutant).catch((error: Error) => error);
        const isPlanted = typeof script === 'string';
        onOutcome(
          mutant,
          isPlanted ? await runner.failures(mutant.surface, script, enough, without) : script,
        );
      }
    };
    await Promise.all(runners.map(work));
    return without;
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
}

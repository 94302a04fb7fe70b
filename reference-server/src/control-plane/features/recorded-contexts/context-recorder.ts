import type { Context } from '@flagsvc/sdk-core';
import type { ContextRecorder } from '../../../data-plane/ports.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import { referencedAttributes } from '../../../publishing/referenced-attributes.ts';
import type { Database } from '../../../storage/database.ts';
import { CONTEXTS_MAX, listRecording, type RecordedContext, storeContexts } from './context-store.ts';
import { createPseudonym, redactContext } from './redact-context.ts';

/** Keeps a sample of evaluated contexts for environments that record them (decisions/0032). */
export interface StoredContextRecorder extends ContextRecorder {
  /** Stores pending contexts and reads which environments record contexts. */
  refresh(): Promise<void>;
  /** Refreshes at once and then at every interval. */
  start(intervalMs: number): void;
  /** Stops the interval and refreshes a last time. */
  stop(): Promise<void>;
}

export interface ContextRecorderDeps {
  readonly db: Database;
  /** At least 32 characters; the pseudonyms are derived with it. */
  readonly apiSecretKey: string;
  readonly now: () => number;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/** Age at which a context is half as likely to be in the sample as a new one. */
const HALF_LIFE_MS = 4 * HOUR_MS;
const AGE_SCALE_MS = HALF_LIFE_MS / Math.LN2;

/** The contexts of one environment that are not stored yet. */
interface Reservoir {
  /**
   * Revision of the environment when this was created. If it has changed since, recording may have been stopped in
   * between.
   */
  readonly revision: number;
  /** A context whose draw is at most this cannot reach the sample. */
  threshold: number;
  /** Contexts by their JSON, so that equal ones are stored once. */
  readonly pending: Map<string, RecordedContext>;
}

export function createContextRecorder(deps: ContextRecorderDeps): StoredContextRecorder {
  const { db, now, random, onError } = deps;
  const pseudonym = createPseudonym(deps.apiSecretKey);
  const reservoirs = new Map<string, Reservoir>();
  let refreshing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const add = (reservoir: Reservoir, json: string, draw: number): void => {
    const { pending } = reservoir;
    const time = now();
    const rank = rankOf(draw, time);
    const before = pending.get(json);
    if (before !== undefined && before.rank >= rank) return;
    pending.set(json, { json, rank, recordedAt: new Date(time).toISOString() });
    if (pending.size < 2 * CONTEXTS_MAX) return;
    const best = [...pending.values()].sort((left, right) => right.rank - left.rank).slice(0, CONTEXTS_MAX);
    pending.clear();
    for (const one of best) pending.set(one.json, one);
    reservoir.threshold = Math.max(reservoir.threshold, drawOf(best.at(-1)!.rank, time));
  };

  const refreshOnce = async (): Promise<void> => {
    const recording = new Map((await listRecording(db)).map((one) => [one.id, one]));
    for (const [environmentId, { revision }] of reservoirs) {
      if (recording.get(environmentId)?.revision !== revision) reservoirs.delete(environmentId);
    }
    for (const [environmentId, one] of recording) {
      const contexts = [...(reservoirs.get(environmentId)?.pending.values() ?? [])];
      const least = await storeContexts(db, one, { contexts, now: now() });
      const pending = reservoirs.get(environmentId)?.pending ?? new Map();
      for (const { json, rank } of contexts) if (pending.get(json)?.rank === rank) pending.delete(json);
      const threshold = least === undefined ? 0 : drawOf(least, now());
      reservoirs.set(environmentId, { revision: one.revision, threshold, pending });
    }
  };

  const refresh = (): Promise<void> => {
    refreshing ??= refreshOnce()
      .catch(onError)
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };

  return {
    record({ environmentId, evaluator }, context: Context) {
      // The only cost for a server on which no environment records contexts.
      if (reservoirs.size === 0) return;
      const reservoir = reservoirs.get(environmentId);
      if (reservoir === undefined) return;
      const draw = random();
      if (draw <= reservoir.threshold) return;
      const kept = referencedAttributes(evaluator.ruleset);
      const json = redactContext(context, kept, (text) => pseudonym(environmentId, text));
      if (json !== undefined) add(reservoir, json, draw);
    },
    refresh,
    start(intervalMs) {
      refresh();
      timer = setInterval(refresh, intervalMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await refreshing;
      await refresh();
    },
  };
}

/**
 * The rank of a context, from one random draw that is weighted by time (A-Res). The contexts with the highest ranks
 * form the sample. The sample is uniform among contexts of one age, older contexts fade out, and samples of several
 * processes can be merged.
 */
function rankOf(draw: number, time: number): number {
  return time / AGE_SCALE_MS - Math.log(-Math.log(draw));
}

/** The inverse of `rankOf`: the draw that has this rank at this time. */
function drawOf(rank: number, time: number): number {
  return Math.exp(-Math.exp(time / AGE_SCALE_MS - rank));
}

import type { Clock } from '@flagsvc/sdk-core/client';
import { createRequestPace } from '../platform/request-pace.ts';
import type { Described, KeyAnswer } from './describe-keys.ts';

/** Asks about new keys of one environment: one request at a time, with all the keys that came meanwhile. */
export interface KeyInquiry {
  /** The answer; undefined when the server did not give one. */
  ask(apiKey: string): Promise<KeyAnswer | undefined>;
}

export interface KeyInquiryOptions {
  readonly describe: (keys: readonly string[]) => Promise<Described>;
  readonly clock: Clock;
}

interface Waiting {
  readonly answer: Promise<KeyAnswer | undefined>;
  settle(answer: KeyAnswer | undefined): void;
}

/** Maximum number of keys that the server takes in one request. */
export const KEYS_PER_REQUEST = 100;
/** Maximum number of keys that wait, so that strangers who guess keys cannot fill the relay's memory. */
const WAITING_MAX = 1_000;

export function createKeyInquiry({ describe, clock }: KeyInquiryOptions): KeyInquiry {
  const waiting = new Map<string, Waiting>();
  let isAsking = false;
  // Guessed keys must not use up the limit of the relay's key.
  const takeRoom = createRequestPace(clock);

  const askAll = async (): Promise<void> => {
    isAsking = true;
    while (waiting.size > 0) {
      for (let waitMs = takeRoom(); waitMs > 0; waitMs = takeRoom()) {
        await new Promise<void>((resolve) => void clock.setTimer(resolve, waitMs));
      }
      const batch = [...waiting].slice(0, KEYS_PER_REQUEST);
      for (const [apiKey] of batch) waiting.delete(apiKey);
      const described = await describe(batch.map(([apiKey]) => apiKey));
      const answers = 'keys' in described ? described.keys : [];
      for (const [index, [, { settle }]] of batch.entries()) settle(answers[index]);
    }
    isAsking = false;
  };

  return {
    ask(apiKey) {
      const known = waiting.get(apiKey);
      if (known !== undefined) return known.answer;
      if (waiting.size >= WAITING_MAX) return Promise.resolve(undefined);
      let settle!: Waiting['settle'];
      const answer = new Promise<KeyAnswer | undefined>((resolve) => {
        settle = resolve;
      });
      waiting.set(apiKey, { answer, settle });
      if (!isAsking) void askAll();
      return answer;
    },
  };
}

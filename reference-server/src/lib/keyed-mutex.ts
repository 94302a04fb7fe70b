/** Runs `act` after all earlier calls with the same key have settled. */
export type KeyedMutex = <T>(key: string, act: () => Promise<T>) => Promise<T>;

/** A mutex within this process. */
export function createKeyedMutex(): KeyedMutex {
  const queues = new Map<string, Promise<unknown>>();
  return async (key, act) => {
    const previous = queues.get(key);
    const own = (previous ?? Promise.resolve()).then(act, act);
    queues.set(key, own);
    try {
      return await own;
    } finally {
      if (queues.get(key) === own) queues.delete(key);
    }
  };
}

/** A mutex that rejects with `refusal()` when a caller has waited `timeoutMs`; its `act` then never runs. */
export function createTimedKeyedMutex(timeoutMs: number, refusal: () => Error): KeyedMutex {
  const exclusive = createKeyedMutex();
  return async (key, act) => {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        timer = undefined;
        reject(refusal());
      }, timeoutMs);
    });
    const own = exclusive(key, async () => {
      if (timer === undefined) return timeout;
      clearTimeout(timer);
      return act();
    });
    return Promise.race([own, timeout]);
  };
}

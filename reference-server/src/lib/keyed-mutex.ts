/** Runs `act` when all that was handed in before under the same name is over. */
export type InTurn = <T>(name: string, act: () => Promise<T>) => Promise<T>;

/** Turns of one process. */
export function createInTurn(): InTurn {
  const turns = new Map<string, Promise<unknown>>();
  return async (name, act) => {
    const before = turns.get(name);
    const mine = (before ?? Promise.resolve()).then(act, act);
    turns.set(name, mine);
    try {
      return await mine;
    } finally {
      if (turns.get(name) === mine) turns.delete(name);
    }
  };
}

/** Turns of which nobody waits for longer than `patienceMs`: then it is refused, and its `act` is not run. */
export function createImpatientInTurn(patienceMs: number, refusal: () => Error): InTurn {
  const inTurn = createInTurn();
  return async (name, act) => {
    let timer: NodeJS.Timeout | undefined;
    const impatience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        timer = undefined;
        reject(refusal());
      }, patienceMs);
    });
    const mine = inTurn(name, async () => {
      if (timer === undefined) return impatience;
      clearTimeout(timer);
      return act();
    });
    return Promise.race([mine, impatience]);
  };
}

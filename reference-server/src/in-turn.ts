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

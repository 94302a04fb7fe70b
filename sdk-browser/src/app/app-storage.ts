/** Storage with synchronous methods, as `localStorage` has them. */
export interface AppStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** Storage with asynchronous methods, such as `@react-native-async-storage/async-storage`. */
export interface AsyncAppStorage {
  getAllKeys(): Promise<readonly string[]>;
  getItem(name: string): Promise<string | null>;
  setItem(name: string, text: string): Promise<unknown>;
  removeItem(name: string): Promise<unknown>;
}

/** The names of this SDK's entries begin with it. */
const PREFIX = 'flagsvc-';

/**
 * Reads this SDK's entries from asynchronous storage, so that a client can answer in its first render. Later changes are
 * written in the background, in order. Never rejects: broken storage is like none.
 */
export const openStorage = async (storage: AsyncAppStorage): Promise<AppStorage> => {
  const entries = new Map<string, string>();
  try {
    const names = (await storage.getAllKeys()).filter((name) => name.startsWith(PREFIX));
    const texts = await Promise.all(names.map((name) => storage.getItem(name)));
    for (const [at, name] of names.entries()) if (typeof texts[at] === 'string') entries.set(name, texts[at]);
  } catch {
    // Starts without the last answers.
  }
  let writing: Promise<unknown> = Promise.resolve();
  const write = (work: () => Promise<unknown>) => {
    // The next write may succeed, so a failed one stops nothing.
    writing = writing.then(work).catch(() => {});
  };
  return {
    getItem: (name) => entries.get(name) ?? null,
    setItem(name, text) {
      entries.set(name, text);
      write(() => storage.setItem(name, text));
    },
    removeItem(name) {
      entries.delete(name);
      write(() => storage.removeItem(name));
    },
  };
};

/** The state of an app, and its storage, as React Native gives them. */
import type { AppStateLike, AsyncAppStorage } from '@flagsvc/sdk-browser/react-native';

/** An app whose state the test changes. */
export const createFakeAppState = (initial: string | null) => {
  const listeners = new Set<(state: string) => void>();
  let currentState = initial;
  return {
    get currentState() {
      return currentState;
    },
    addEventListener(_type: 'change', listener: (state: string) => void) {
      listeners.add(listener);
      return { remove: () => void listeners.delete(listener) };
    },
    become(state: string) {
      currentState = state;
      for (const listener of [...listeners]) listener(state);
    },
    listeners: () => listeners.size,
  } satisfies AppStateLike & Record<string, unknown>;
};

/** Storage as `@react-native-async-storage/async-storage` offers it. */
export const createFakeAsyncStorage = () => {
  const entries = new Map<string, string>();
  const later = async <T>(work: () => T): Promise<T> => {
    await null;
    return work();
  };
  return {
    getAllKeys: () => later(() => [...entries.keys()]),
    getItem: (name: string) => later(() => entries.get(name) ?? null),
    setItem: (name: string, text: string) => later(() => void entries.set(name, text)),
    removeItem: (name: string) => later(() => void entries.delete(name)),
    names: () => [...entries.keys()],
    entries,
  } satisfies AsyncAppStorage & Record<string, unknown>;
};

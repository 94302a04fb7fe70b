/** What an entry of the log is about. */
export type ActivityKind = 'read' | 'change' | 'override' | 'context' | 'track' | 'status' | 'fault';

/** One entry of the log. */
export interface Activity {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: ActivityKind;
  readonly text: string;
}

/** At most this many entries are kept; the oldest is dropped first. */
const MAX_ENTRIES = 300;

/** The last actions of a client and its page. */
export interface ActivityLog {
  add(kind: ActivityKind, text: string): void;
  /** Oldest first. */
  entries(): readonly Activity[];
  clear(): void;
  /** Calls back after each change of the log; returns the function that stops this. */
  watch(listener: () => void): () => void;
}

export const createActivityLog = (): ActivityLog => {
  let entries: readonly Activity[] = [];
  const watchers = new Set<() => void>();
  const become = (next: readonly Activity[]) => {
    entries = next;
    for (const watcher of [...watchers]) watcher();
  };
  return {
    add: (kind, text) => become([...entries.slice(1 - MAX_ENTRIES), { at: Date.now(), kind, text }]),
    entries: () => entries,
    clear: () => become([]),
    watch(listener) {
      watchers.add(listener);
      return () => void watchers.delete(listener);
    },
  };
};

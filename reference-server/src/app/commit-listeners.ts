import type { CommitListener } from '../control-plane/feature.ts';
import type { Commit } from '../control-plane/write-gate/change.ts';

/** The listeners of the write gate's commits: the gate is made before the features that listen to it. */
export interface CommitListeners {
  add(...listeners: readonly CommitListener[]): void;
  /** Calls all listeners in their order, at the same time; resolves when every one has finished. */
  notify(commit: Commit): Promise<void>;
}

export function createCommitListeners(): CommitListeners {
  const all: CommitListener[] = [];
  return {
    add: (...listeners) => void all.push(...listeners),
    async notify(commit) {
      await Promise.all(all.map((listener) => listener(commit)));
    },
  };
}

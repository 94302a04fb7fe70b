import type { CommitListener } from '../control-plane/feature.ts';
import type { Commit } from '../control-plane/write-gate/change.ts';
import type { Publisher } from '../publishing/publish.ts';

/** The listeners of the write gate's commits. The gate exists before the features that listen to it. */
export interface CommitListeners {
  add(...listeners: readonly CommitListener[]): void;
  /** Calls all listeners in their order, without waiting in between; resolves when every one has finished. */
  notify(commit: Commit): Promise<void>;
}

export function createCommitListeners(initial: readonly CommitListener[]): CommitListeners {
  const all = [...initial];
  return {
    add: (...listeners) => void all.push(...listeners),
    async notify(commit) {
      await Promise.all(all.map((listener) => listener(commit)));
    },
  };
}

/** Publishes each commit; the promise resolves when the data plane serves it. */
export function publishCommits(publisher: Publisher): CommitListener {
  return ({ environmentIds, flagKeys, apiKeyIds }) => {
    if (apiKeyIds === 'all') publisher.forgetKey();
    else for (const id of apiKeyIds) publisher.forgetKey(id);
    return publisher.afterCommit(environmentIds, flagKeys);
  };
}

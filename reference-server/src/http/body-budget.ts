/** The sender of a body: `known` has its own credential; `anyone` has no credential, or only a page's public key. */
export type BodySender = 'anyone' | 'known';

/** Maximum bytes of all unfinished bodies of this process, by sender. */
const BYTES_MAX: Readonly<Record<BodySender, number>> = { anyone: 16 * 2 ** 20, known: 48 * 2 ** 20 };

/** A body whose memory is counted. */
export interface CountedBody {
  /** Counts more bytes. Returns false when the budget is exhausted and this body was evicted (`onLost` was called). */
  grow(bytes: number): boolean;
  /** Releases its bytes. Safe to call twice. */
  end(): void;
}

/**
 * Bounds the memory of request bodies that are still arriving or being inflated, over all connections. When the budget is
 * exhausted, the oldest bodies are evicted: they are the slow ones, so a client that leaves many bodies unfinished cannot
 * keep others out.
 */
export interface BodyBudget {
  begin(sender: BodySender, onLost: () => void): CountedBody;
}

export function createBodyBudget(limits: Partial<Record<BodySender, number>> = {}): BodyBudget {
  const bytesMax = { ...BYTES_MAX, ...limits };
  const used: Record<BodySender, number> = { anyone: 0, known: 0 };
  /** In order of arrival. */
  const unfinished = { anyone: new Set<() => void>(), known: new Set<() => void>() };

  return {
    begin(sender, onLost) {
      const bodies = unfinished[sender];
      let held = 0;
      const end = (): void => {
        if (!bodies.delete(lose)) return;
        used[sender] -= held;
      };
      const lose = (): void => {
        end();
        onLost();
      };
      bodies.add(lose);
      return {
        end,
        grow(bytes) {
          if (!bodies.has(lose)) return false;
          held += bytes;
          used[sender] += bytes;
          for (const loseOldest of bodies) {
            if (used[sender] <= bytesMax[sender]) break;
            loseOldest();
          }
          return bodies.has(lose);
        },
      };
    },
  };
}

import type { BatchReceipt } from '@flagsvc/reference-server/data-plane';

/** Remembers receipts by batch id, so that a batch that a client repeats waits only once. */
export interface RecentBatches {
  /** `name` is unique among all batches. Resolves to the receipt of a repeated batch; otherwise to that of `store`, which is called again if it rejects. */
  once(name: string, store: () => Promise<BatchReceipt>): Promise<BatchReceipt>;
}

/** Beyond this number, the oldest is forgotten; the server still recognizes its repetition. */
const BATCHES_MAX = 10_000;
/** A receipt with more rejected events is not remembered, because it could take 100 KB. */
const REJECTED_MAX = 5;

export function createRecentBatches(): RecentBatches {
  const receipts = new Map<string, Promise<BatchReceipt>>();
  return {
    async once(name, store) {
      const known = receipts.get(name);
      if (known !== undefined) return { ...(await known), duplicate: true };
      const receipt = store();
      receipts.set(name, receipt);
      if (receipts.size > BATCHES_MAX) receipts.delete(receipts.keys().next().value!);
      try {
        const stored = await receipt;
        if (stored.rejected.length > REJECTED_MAX) receipts.delete(name);
        return stored;
      } catch (error) {
        receipts.delete(name);
        throw error;
      }
    },
  };
}

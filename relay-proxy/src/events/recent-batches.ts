import type { BatchReceipt } from '@flagsvc/reference-server/data-plane';

/** Remembers receipts by batch id, so that a batch that a client repeats waits only once. */
export interface RecentBatches {
  /** The receipt of a repeated batch; otherwise that of `store`, which is called again if it rejects. */
  once(batchId: string, store: () => Promise<BatchReceipt>): Promise<BatchReceipt>;
}

/** Beyond this number, the oldest is forgotten; the server still recognizes its repetition. */
const BATCHES_MAX = 10_000;

export function createRecentBatches(): RecentBatches {
  const receipts = new Map<string, Promise<BatchReceipt>>();
  return {
    async once(batchId, store) {
      const known = receipts.get(batchId);
      if (known !== undefined) return { ...(await known), duplicate: true };
      const receipt = store();
      receipts.set(batchId, receipt);
      if (receipts.size > BATCHES_MAX) receipts.delete(receipts.keys().next().value!);
      try {
        return await receipt;
      } catch (error) {
        receipts.delete(batchId);
        throw error;
      }
    },
  };
}

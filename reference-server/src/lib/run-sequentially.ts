/**
 * Runs `run` for each item in order and continues after a failure. At the end throws one `AggregateError` that names the
 * ids of the failed items, if any.
 */
export async function runSequentially<Item extends { readonly id: string }>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const faults: unknown[] = [];
  const failed: string[] = [];
  for (const item of items) {
    try {
      await run(item);
    } catch (error) {
      faults.push(error);
      failed.push(item.id);
    }
  }
  if (faults.length === 0) return;
  throw new AggregateError(faults, `${faults.length} of ${items.length} failed: ${failed.join(', ')}`);
}

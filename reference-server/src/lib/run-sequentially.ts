/**
 * Does something with each, one after the other, also after one that fails. Then throws an `AggregateError` of what went
 * wrong, which names those that it went wrong with.
 */
export async function eachApart<Item extends { readonly id: string }>(
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

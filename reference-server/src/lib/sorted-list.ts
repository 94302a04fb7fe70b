/** Index of the last item whose key is at most `wanted`, in a list sorted by key; -1 when there is none. */
export function lastUpTo<Item>(list: readonly Item[], wanted: string, keyOf: (item: Item) => string): number {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (keyOf(list[middle]!) <= wanted) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

const PER_PAGE = 200;

/** Reads a list to its end, page by page. `readPage` gets the query of a page. */
export async function readAll<T>(
  readPage: (query: { readonly page: number; readonly per_page: number }) => Promise<{
    readonly data: readonly T[];
    readonly meta: { readonly total: number };
  }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await readPage({ page, per_page: PER_PAGE });
    all.push(...data);
    if (data.length === 0 || all.length >= meta.total) return all;
  }
}

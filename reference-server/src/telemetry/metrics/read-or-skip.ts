/** A scrape does not wait longer than this for a value. */
const PATIENCE_MS = 2_000;

/** What `read` resolves to; undefined if it fails or takes too long, so that a scrape shows the other metrics. */
export async function readOrSkip<T>(read: () => Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, undefined).unref();
  });
  const value = read().catch(() => undefined);
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}

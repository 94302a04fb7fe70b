import type { Page, Route } from 'playwright-core';

/** Answers without which nothing is known: who works where, and the flag that a page is about. */
const FRAME =
  /\/api\/v1\/(auth\/me|me\/preferences|projects|environments|instance(\/capabilities)?|organizations(\/[^/]+\/members)?|flags\/[^/]+\/environments)$/;
const STREAM = '/changes/stream';

const isOfPage = (url: string): boolean => {
  const { pathname } = new URL(url);
  return /^\/(api|auth)\//.test(pathname) && !pathname.endsWith(STREAM);
};
const isOfFrame = (url: string): boolean => FRAME.test(new URL(url).pathname);

/** The calls of a page to the API. */
export interface Traffic {
  /** Answers that a page should not have caused: `403 GET /api/v1/webhooks`. */
  readonly refusals: readonly string[];
  /** Waits until no call has been open for a moment, and no skeleton is on the screen. */
  settled(): Promise<void>;
}

export function watchTraffic(page: Page): Traffic {
  const refusals: string[] = [];
  const open = new Set<unknown>();
  let lastMs = Date.now();
  const done = (request: unknown): void => {
    lastMs = Date.now();
    open.delete(request);
  };
  page.on('request', (request) => isOfPage(request.url()) && open.add(request));
  // An answer whose body nobody reads never finishes.
  page.on('response', (response) => done(response.request()));
  page.on('requestfinished', done);
  page.on('requestfailed', done);
  page.on('response', (response) => {
    const request = response.request();
    const status = response.status();
    // A busy machine makes the server ask for patience, which pages have.
    if (status >= 400 && status !== 503 && isOfPage(request.url()))
      refusals.push(`${status} ${request.method()} ${new URL(request.url()).pathname}`);
  });
  return {
    refusals,
    async settled() {
      const deadlineMs = Date.now() + 60_000;
      const isBusy = async (): Promise<boolean> =>
        open.size > 0 || Date.now() - lastMs < 250 || (await page.locator('[class*="skeleton"]').count()) > 0;
      while (await isBusy()) {
        if (Date.now() > deadlineMs)
          throw new Error(
            `The page still loads: ${open.size} open calls, ${await page.locator('[class*="skeleton"]').count()} skeletons`,
          );
        await page.waitForTimeout(50);
      }
    },
  };
}

/** From now on, the server fails at everything but the frame. Returns the way back. */
export async function failPages(page: Page): Promise<() => Promise<void>> {
  const answer = {
    status: 500,
    json: { error: { code: 'INTERNAL_ERROR', message: 'The server failed.', details: {} } },
  };
  const handle = (route: Route): Promise<void> =>
    isOfFrame(route.request().url()) ? route.fallback() : route.fulfill(answer);
  await page.route('**/api/v1/**', handle);
  return () => page.unroute('**/api/v1/**', handle);
}

/** From now on, every list is empty, but those of the frame. */
export async function emptyPages(page: Page): Promise<void> {
  await changeAnswers(page, (body, url) => {
    if (isOfFrame(url) || !Array.isArray(body['data'])) return body;
    const meta = typeof body['meta'] === 'object' && body['meta'] !== null ? body['meta'] : {};
    return { ...body, data: [], meta: { ...meta, ...('total' in meta && { total: 0 }) } };
  });
}

/** From now on, every text that a person chose is one of these, in turn. Returns how many were shown so far. */
export async function renameEverything(page: Page, texts: () => string): Promise<void> {
  await changeAnswers(page, (body) => rename(body, texts) as Record<string, unknown>);
}

const CHOSEN =
  /^(name|full_name|description|title|reason|justification|comment|note|notes|label|summary|hint|owner_name|created_by_name|actor_name|tags|incident|message)$/;

function rename(value: unknown, texts: () => string, key = ''): unknown {
  if (typeof value === 'string') return CHOSEN.test(key) ? texts() : value;
  if (Array.isArray(value)) return value.map((one) => rename(one, texts, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rename(one, texts, name)]));
}

async function changeAnswers(
  page: Page,
  change: (body: Readonly<Record<string, unknown>>, url: string) => Readonly<Record<string, unknown>>,
): Promise<void> {
  await page.route('**/api/v1/**', async (route) => {
    const request = route.request();
    if (request.method() !== 'GET' || !isOfPage(request.url())) return route.fallback();
    const response = await route.fetch();
    if (!/json/.test(response.headers()['content-type'] ?? '')) return route.fulfill({ response });
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    return route.fulfill({ response, json: response.ok() ? change(body, request.url()) : body });
  });
}

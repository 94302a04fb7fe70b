import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { PASSWORD, type PersonKey, people } from '../shop/people.ts';
import { contextOptions, type Look, openBrowser, watchFaults } from './browser.ts';
import { pageHeaders, type Shop, type ShopOptions, startShop } from './start-shop.ts';

/** A browser at the shop, for the tests of one file. */
export interface ShopBrowser {
  /** The running server. */
  readonly shop: Shop;
  /**
   * Opens a page of the project as this person, who is signed in already, and waits for its heading. The test fails if
   * a script of the page throws or breaks the security policy.
   */
  open(person: PersonKey, path: string, look?: Visit): Promise<Page>;
  /** Opens an address such as `/signin` without a session. */
  openSignedOut(path: string, look?: Visit): Promise<Page>;
  /** Signs the person in again at the next visit, after a test has ended the session. */
  forget(person: PersonKey): void;
}

/** How a page is opened. */
export interface Visit extends Look {
  /** Called before the address is opened, to watch or change what the server answers. */
  readonly before?: ((page: Page) => Promise<void> | void) | undefined;
}

const FAILED = join(import.meta.dirname, '..', '..', 'screens', 'failed');

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

export interface VisitOptions extends ShopOptions {
  /**
   * Visits as the same person at the same size share one context, with its cache: quicker, for tests that only look.
   * Default: each visit begins with nothing.
   */
  readonly keepsContexts?: boolean;
}

/** Starts the shop and the browser before the tests of this file, and stops both after them. */
export function visitShop({ keepsContexts = false, ...options }: VisitOptions = {}): ShopBrowser {
  let shop: Shop | undefined;
  let browser: Browser | undefined;
  const opened: { readonly page: Page; readonly faults: readonly string[] }[] = [];
  const kept = new Map<string, Promise<BrowserContext>>();
  const sessions = new Map<PersonKey, State>();

  beforeAll(async () => {
    const started = await Promise.allSettled([
      startShop(options).then((one) => {
        shop = one;
      }),
      openBrowser().then((one) => {
        browser = one;
      }),
    ]);
    // Only now, so that what did start is closed.
    for (const one of started) if (one.status === 'rejected') throw one.reason;
  }, 180_000);
  afterEach(async ({ task }) => {
    const faults = opened.flatMap((one) => one.faults);
    const pages = opened.splice(0);
    if (task.result?.state === 'fail') await picture(task.name, pages);
    for (const { page } of pages) await (keepsContexts ? page : page.context()).close();
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.close();
  });

  const newPage = async (look: Visit | undefined, storageState?: State): Promise<Page> => {
    const settings = { ...contextOptions(look), ...(storageState && { storageState }) };
    const name = JSON.stringify(settings);
    const context = kept.get(name) ?? browser!.newContext(settings);
    if (keepsContexts) kept.set(name, context);
    const page = await (await context).newPage();
    page.setDefaultTimeout(60_000);
    opened.push({ page, faults: watchFaults(page) });
    await look?.before?.(page);
    return page;
  };
  return {
    get shop() {
      return shop!;
    },
    async open(person, path, look) {
      const state = sessions.get(person) ?? (await signIn(browser!, shop!.origin, person));
      sessions.set(person, state);
      const page = await newPage(look, state);
      await page.goto(shop!.href(path));
      await page.locator('h1').first().waitFor();
      return page;
    },
    forget: (person) => void sessions.delete(person),
    async openSignedOut(path, look) {
      const page = await newPage(look);
      await page.goto(new URL(path, shop!.origin).href);
      await page.locator('h1').first().waitFor();
      return page;
    },
  };
}

/** Pictures of what a failed test left on the screen, in `dashboard/screens/failed`. */
async function picture(name: string, pages: readonly { readonly page: Page }[]): Promise<void> {
  const begin = name.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 60);
  for (const [at, page] of pages.flatMap(({ page }) => page.context().pages()).entries())
    await page.screenshot({ path: join(FAILED, `${begin}-${at}.png`) }).catch(() => undefined);
}

/** The cookie of a new session. */
export async function signIn(browser: Browser, origin: string, person: PersonKey): Promise<State> {
  const context = await browser.newContext();
  try {
    const answer = await context.request.post(`${origin}/auth/login`, {
      headers: pageHeaders(origin),
      data: { email: people[person].email, password: PASSWORD },
    });
    if (!answer.ok()) throw new Error(`${people[person].name} could not sign in: ${await answer.text()}`);
    return await context.storageState();
  } finally {
    await context.close();
  }
}

// `npm run dashboard:screens -- [parts of names]`: pictures of the pages, for the eye.
import { mkdirSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { contextOptions, openBrowser, settle, sizes, themes, watchFaults } from '../harness/browser.ts';
import { type Shop, startShop } from '../harness/start-shop.ts';
import { signIn } from '../harness/visit-shop.ts';
import type { PersonKey } from '../shop/people.ts';
import type { Screen } from './screen.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'screens');
/** Chromium cannot make higher pictures of reasonable size. */
const HEIGHT_MAX = 6_000;

type State = Awaited<ReturnType<typeof signIn>>;

const parts = process.argv.slice(2);
const wanted = (await readScreens()).filter(
  ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
);
if (wanted.length === 0) throw new Error(`No screen has "${parts.join('" or "')}" in its name.`);
mkdirSync(FOLDER, { recursive: true });
// Pictures sign in more often than people do.
const shop = await startShop({ env: { FLAGSVC_RATE_LIMITS: 'auth=1000' } });
const browser = await openBrowser();
const faults: string[] = [];
/** Pictures of the same person at the same size share a browser context, with its cache. */
const contexts = new Map<string, Promise<BrowserContext>>();
try {
  const states = new Map<PersonKey, State>();
  // Everybody before the first picture, since some pictures turn a second factor on.
  for (const person of new Set(wanted.map(personOf)))
    if (person !== undefined) states.set(person, await signIn(browser, shop.origin, person));
  for (const screen of wanted) {
    const person = personOf(screen);
    for (const width of screen.widths ?? sizes)
      for (const theme of themes)
        await take(browser, shop, { screen, width, theme, state: person && states.get(person) });
  }
} finally {
  await browser.close();
  await shop.close();
}
for (const fault of faults) console.error(fault);
console.log(`${wanted.length} screens in ${relative(process.cwd(), FOLDER)}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Nobody for pages outside a session. */
function personOf({ path, as }: Screen): PersonKey | undefined {
  return as ?? (path.startsWith('/') ? undefined : 'admin');
}

interface Shot {
  readonly screen: Screen;
  readonly width: number;
  readonly theme: (typeof themes)[number];
  readonly state: State | undefined;
}

async function take(browser: Browser, { href }: Shop, { screen, width, theme, state }: Shot) {
  const name = `${screen.name}-${width}-${theme}`;
  const options = {
    ...contextOptions({ ...screen.look, width, theme }),
    ...(state && { storageState: state }),
  };
  const id = JSON.stringify(options);
  const context = contexts.get(id) ?? browser.newContext(options);
  contexts.set(id, context);
  const page = await (await context).newPage();
  try {
    const found = watchFaults(page);
    await page.goto(href(screen.path));
    await page.locator('h1').first().waitFor();
    await isLoaded(page);
    await screen.prepare?.(page);
    await isLoaded(page);
    await isDialogShown(page);
    await settle(page);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    if (!screen.isViewport)
      await page.setViewportSize({ width, height: Math.min(Math.max(height, 900), HEIGHT_MAX) });
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    faults.push(...found.map((fault) => `${name}: ${fault}`));
  } catch (error) {
    faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await page.close();
  }
}

/** A dialog that is open has begun to appear: on a phone its first frames are empty. */
async function isDialogShown(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[role$="dialog"]')].every((dialog) =>
      dialog.checkVisibility({ opacityProperty: true }),
    ),
  );
}

/** No skeleton is on the screen. */
async function isLoaded(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[role="status"] > [class*="skeleton"]') === null);
}

async function readScreens(): Promise<readonly Screen[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.screens.ts'));
  const lists = await Promise.all(
    files.map(
      async (file) => ((await import(`./${file}`)) as { readonly screens: readonly Screen[] }).screens,
    ),
  );
  return lists.flat();
}

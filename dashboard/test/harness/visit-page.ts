import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PageDefinition } from '../../src/app/page-definition.ts';
import type { PersonKey } from '../shop/people.ts';
import { isForMembers, registeredPages } from './registered-pages.ts';
import { type Traffic, watchTraffic } from './traffic.ts';
import type { ShopBrowser, Visit } from './visit-shop.ts';

/** A registered page on the screen, with what it asked the server. */
export interface Visited {
  readonly page: Page;
  readonly traffic: Traffic;
}

/** Opens any registered page as this person, and waits until it is loaded. */
export async function visitPage(
  at: ShopBrowser,
  definition: PageDefinition,
  { person = 'admin', ...visit }: Visit & { readonly person?: PersonKey } = {},
): Promise<Visited> {
  let traffic: Traffic | undefined;
  const before = async (page: Page): Promise<void> => {
    traffic = watchTraffic(page);
    await visit.before?.(page);
  };
  const path = await addressOf(at, definition);
  const page = isForMembers(definition)
    ? await at.open(person, path, { ...visit, before })
    : await at.openSignedOut(`/${path}#token=example`, { ...visit, before });
  await traffic!.settled();
  return { page, traffic: traffic! };
}

const found = new Map<string, string>();

/** The page that lists what a page is about: `settings/service-accounts` for `settings/service-accounts/$account`. */
async function pathAbove(path: string): Promise<string> {
  const paths = (await registeredPages()).map((one) => one.path);
  const above = paths.filter((one) => one !== '' && path.startsWith(`${one}/`));
  return above.toSorted((a, b) => b.length - a.length)[0] ?? '';
}

/** The address of a page. What it is about is the first example that the page above it links to. */
async function addressOf(at: ShopBrowser, { path }: PageDefinition): Promise<string> {
  if (!path.includes('$')) return path;
  const known = found.get(path);
  if (known !== undefined) return known;
  const page = await at.open('admin', await pathAbove(path));
  const pattern = `/${path.replaceAll(/\$\w+/g, '[^/?#]+')}(?=[?#]|$)`;
  await page.waitForFunction(
    (text) => [...document.querySelectorAll('a')].some(({ pathname }) => new RegExp(text).test(pathname)),
    pattern,
  );
  const href = await page
    .locator('a')
    .evaluateAll(
      (links, text) =>
        links.map((one) => (one as HTMLAnchorElement).pathname).find((one) => new RegExp(text).test(one)),
      pattern,
    );
  expect(href, `A page that links to ${path}`).toBeDefined();
  const address = href!.split('/').slice(5).join('/');
  found.set(path, address);
  return address;
}

import { AxeBuilder } from '@axe-core/playwright';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { expect } from 'vitest';
import { PASSWORD, type PersonKey, people } from '../shop/people.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** Widths at which every page is looked at. */
export const sizes = [1440, 390] as const;
export const themes = ['light', 'dark'] as const;

/** The Chromium that comes through npm. Close it. */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-zygote'],
  });
}

/** A page of a new browser profile. Errors of scripts and refusals of the security policy fail the test that reads them. */
export async function openPage(
  browser: Browser,
  look: { readonly width?: number; readonly theme?: 'light' | 'dark' } = {},
): Promise<{ readonly page: Page; readonly faults: readonly string[] }> {
  const { width = 1440, theme = 'light' } = look;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    locale: 'en-GB',
    isMobile: width < 768,
    hasTouch: width < 768,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript/.test(message.text())) faults.push(message.text());
  });
  return { page, faults };
}

/** Signs a person of the shop in by the form, and waits for the first page of the project. */
export async function signIn(page: Page, origin: string, who: PersonKey): Promise<void> {
  await page.goto(`${origin}/signin`);
  await page.getByLabel('E-mail').fill(people[who].email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/o/**');
  await page.locator('h1').waitFor();
}

/** axe finds nothing, in both themes. */
export async function expectNoViolations(page: Page): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
    expect(violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]!.html}`)).toEqual([]);
  }
}

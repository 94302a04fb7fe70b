import { AxeBuilder } from '@axe-core/playwright';
import chromium from '@sparticuz/chromium';
import { type Browser, type Locator, type Page, chromium as playwright } from 'playwright-core';
import { expect } from 'vitest';

/** Rules that can fail in one theme alone. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** Widths at which every page is looked at. */
export const sizes = [1440, 390] as const;
export const themes = ['light', 'dark'] as const;

/** How a page is looked at. */
export interface Look {
  /** Default 1440; below 768 the browser behaves as a phone. */
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly reducedMotion?: boolean;
  readonly forcedColors?: boolean;
}

/** The Chromium that comes through npm. Close it. */
export async function openBrowser(args: readonly string[] = []): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-zygote', ...args],
  });
}

/** Options of a browser context for a look. */
export function contextOptions({ width = 1440, height = 900, theme = 'light', ...look }: Look = {}) {
  return {
    viewport: { width, height },
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Amsterdam',
    isMobile: width < 768,
    hasTouch: width < 768,
    reducedMotion: look.reducedMotion ? ('reduce' as const) : ('no-preference' as const),
    forcedColors: look.forcedColors ? ('active' as const) : ('none' as const),
  };
}

/** Errors of the page's scripts and refusals of the security policy, from now on. */
export function watchFaults(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript|Minified React error/.test(message.text()))
      faults.push(message.text());
  });
  return faults;
}

/**
 * axe finds nothing in the page as it is, in both themes unless given. A part that has to be on the screen, such as a
 * dialog, is awaited first; its whole page is looked at.
 */
export async function expectNoViolations(
  looked: Page | Locator,
  within: readonly (typeof themes)[number][] = themes,
  ignored: readonly string[] = [],
): Promise<void> {
  const page = 'waitFor' in looked ? looked.page() : looked;
  if ('waitFor' in looked) await looked.waitFor();
  await page.locator('[class*="skeleton"]').first().waitFor({ state: 'detached' });
  for (const colorScheme of within) {
    await page.emulateMedia({ colorScheme });
    await settle(page);
    const axe = new AxeBuilder({ page });
    if (colorScheme === 'light') axe.withTags(RULES);
    else axe.withRules(COLOUR_RULES);
    // What was announced to screen readers stays there for seconds, and can name a control that is gone.
    const { violations } = await axe.exclude('[data-live-announcer]').analyze();
    const kept = violations.filter(({ id }) => !ignored.includes(id));
    const found = kept.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${colorScheme} ${id}: ${html}\n${failureSummary}`),
    );
    expect(found).toEqual([]);
  }
}

/** Nothing is wider than the screen, so that nobody must scroll sideways. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const { width } = page.viewportSize()!;
  const wide = await page.evaluate((max) => {
    if (document.documentElement.scrollWidth <= max + 1) return [];
    return [...document.querySelectorAll('body *')]
      .filter((one) => one.getBoundingClientRect().right > max + 1)
      .map((one) => `${one.tagName} ${one.className} ${(one.textContent ?? '').slice(0, 60)}`)
      .slice(0, 5);
  }, width);
  expect(wide).toEqual([]);
}

/**
 * Waits until transitions have ended, because axe would measure colours between two states. A part that has just
 * appeared begins its transition a frame later.
 */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let quiet = 0; quiet < 3; quiet++) {
      const running = document
        .getAnimations()
        .filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
      await Promise.allSettled(running.map(({ finished }) => finished));
      if (running.length > 0 || document.querySelector('[data-entering], [data-exiting]')) quiet = -1;
      await new Promise(requestAnimationFrame);
    }
  });
}

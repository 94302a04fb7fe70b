import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A long page has fewer controls than this. */
const MOST_STEPS = 200;

/** A person who works a page without a mouse. Each step fails if the focus was lost before it. */
export interface Keyboard {
  /** Goes on with Tab until the control has the focus. */
  reach(target: Locator): Promise<void>;
  /** Reaches the control and presses the key on it, by default Space. */
  press(target: Locator, key?: 'Space' | 'Enter'): Promise<void>;
  /** Reaches the field and replaces its text. */
  type(field: Locator, text: string): Promise<void>;
  /** The focus is on a control or a heading, and not on the bare page. */
  expectFocus(): Promise<void>;
}

/** A page that was just opened has no focus yet, so the first step may begin at its top. */
export function createKeyboard(page: Page): Keyboard {
  let isFirst = true;
  page.on('load', () => {
    isFirst = true;
  });
  const expectFocus = async (): Promise<void> => {
    await expect
      .poll(() => focused(page), { message: 'The focus was lost', timeout: 3_000 })
      .not.toBe('BODY');
  };
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor();
    if (!isFirst) await expectFocus();
    isFirst = false;
    for (let step = 0; step < MOST_STEPS; step++) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${target}`);
  };
  return {
    reach,
    expectFocus,
    async press(target, key = 'Space') {
      await reach(target);
      await page.keyboard.press(key);
    },
    async type(field, text) {
      await reach(field);
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    },
  };
}

/** What has the focus: `BODY` when nothing has. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: active } = document;
    if (active === null || active === document.body || active === document.documentElement) return 'BODY';
    const name = active.getAttribute('aria-label') ?? (active.textContent ?? '').slice(0, 60);
    return `${active.tagName} ${name}`.trim();
  });

/** Headless Chromium for Linux from an npm package. */
import packed from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import type { Engine } from './engine.ts';

export const chromium: Engine = {
  name: 'Chromium',
  engine: 'V8',
  async run({ classic }, input) {
    if (process.platform !== 'linux')
      return { missing: `@sparticuz/chromium does not support ${process.platform}` };
    const executablePath = await packed.executablePath();
    const browser = await playwright.launch({ executablePath, args: packed.args, headless: true });
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: classic });
      await page.evaluate((text) => Object.assign(globalThis, { input: text }), input);
      const answers = await page.evaluate<string>('flagsvc.evaluateAll(input)');
      return { version: browser.version(), answers };
    } finally {
      await browser.close();
    }
  },
};

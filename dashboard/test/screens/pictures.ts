// `npm run dashboard:pictures`: the pictures of the README and of the guide, in docs/pictures.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { contextOptions, openBrowser, settle } from '../harness/browser.ts';
import { startShop } from '../harness/start-shop.ts';
import { signIn } from '../harness/visit-shop.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'pictures');
const BYTES_MAX = 150_000;
const SIZE = { width: 1200, height: 750 };

const pictures = [
  { name: 'flags-light', theme: 'light', path: 'flags', shown: '61 flags' },
  {
    name: 'flag-dark',
    theme: 'dark',
    path: 'flags/checkout-layout?rules=staging',
    shown: 'What users get',
  },
] as const;

const shop = await startShop();
const browser = await openBrowser();
try {
  const storageState = await signIn(browser, shop.origin, 'admin');
  for (const { name, theme, path, shown } of pictures) {
    const context = await browser.newContext({ ...contextOptions({ ...SIZE, theme }), storageState });
    const page = await context.newPage();
    await page.goto(shop.href(path));
    await page.getByText(shown).first().waitFor();
    await page.waitForFunction(() => document.querySelector('[class*="skeleton"]') === null);
    await settle(page);
    const file = join(FOLDER, `${name}.png`);
    await page.screenshot({ path: file });
    await context.close();
    const { size } = statSync(file);
    console.log(`${name}.png: ${size} bytes`);
    if (size > BYTES_MAX) throw new Error(`${name}.png has more than ${BYTES_MAX} bytes.`);
  }
} finally {
  await browser.close();
  await shop.close();
}

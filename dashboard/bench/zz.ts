import { contextOptions, openBrowser } from '../test/harness/browser.ts';
import { startShop } from '../test/harness/start-shop.ts';
import { signIn } from '../test/harness/visit-shop.ts';
const shop = await startShop(); const browser = await openBrowser();
try {
const state = await signIn(browser, shop.origin, 'admin');
for (let i=0;i<2;i++){
const context = await browser.newContext({ ...contextOptions(), storageState: state });
const page = await context.newPage();
const s = await page.context().newCDPSession(page); await s.send('Emulation.setCPUThrottlingRate', { rate: 4 });
const t0 = Date.now();
page.on('request', r => console.log(Date.now()-t0, '>', r.url().replace(shop.origin,'').slice(0,90)));
page.on('response', r => console.log(Date.now()-t0, '<', r.status(), r.url().replace(shop.origin,'').slice(0,90)));
await page.goto(shop.href('flags')); await page.locator('main tbody tr').nth(1).waitFor(); console.log(Date.now()-t0, 'rows');
await page.waitForTimeout(2000);
await context.close(); console.log('=====');
}
} finally { await browser.close(); await shop.close(); }

import { expect, overrideFlags, test } from '@flagsvc/sdk-browser/playwright';

/** The flags that a client of the page reads; the page has no server. */
const read = async (page) => {
  const response = await page.goto('/page');
  await page.waitForFunction(() => 'flagsvc' in globalThis);
  const values = await page.evaluate(() => {
    const options = {
      apiKey: 'sdk-1',
      baseUrl: 'http://127.0.0.1:9',
      context: { user_key: 'u1' },
      logger: false,
    };
    const client = globalThis.flagsvc.withOverrides(globalThis.flagsvc.createBrowserClient(options));
    return [client.flag('new-checkout', false), client.flag('limits', { perDay: 5 })];
  });
  const { cookie = '' } = await response.request().allHeaders();
  return { values, cookie };
};

test('without the option, flags are as they are', async ({ page }) => {
  expect(await read(page)).toEqual({ values: [false, { perDay: 5 }], cookie: '' });
});

test.describe('with the option', () => {
  test.use({ flags: { 'new-checkout': true, limits: { perDay: 9 } } });

  test('the page and its server get the flags', async ({ page }) => {
    const { values, cookie } = await read(page);
    expect(values).toEqual([true, { perDay: 9 }]);
    expect(JSON.parse(decodeURIComponent(cookie.split('=')[1]))).toEqual({
      'new-checkout': true,
      limits: { perDay: 9 },
    });
  });

  test('a test replaces the flags while it runs', async ({ page, context, baseURL }) => {
    await read(page);
    await overrideFlags(context, baseURL, { limits: { perDay: 1 } });
    expect((await read(page)).values).toEqual([false, { perDay: 1 }]);
    await overrideFlags(context, baseURL, {});
    expect((await read(page)).values).toEqual([false, { perDay: 5 }]);
  });
});

test.describe('wrong options', () => {
  test('flags too long for a cookie', async ({ context, baseURL }) => {
    await overrideFlags(context, baseURL, { text: 'x'.repeat(5000) });
  });

  test.describe('flags without an address', () => {
    test.use({ baseURL: '', flags: { a: 1 } });
    test('flags without baseURL', async ({ page }) => {
      await page.title();
    });
  });
});

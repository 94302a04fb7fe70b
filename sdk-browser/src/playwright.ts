/** The entry point for end-to-end tests with Playwright, a peer dependency. */
import {
  type BrowserContext,
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test';
import { cookieText, type FlagOverrides, OVERRIDES_NAME } from './devtools/override-text.ts';

export { expect } from '@playwright/test';
export type { FlagOverrides } from './devtools/override-text.ts';

/**
 * Overrides flags in all pages of this address that are opened or reloaded afterwards, and replaces earlier overrides.
 * The pages' client must come from `withOverrides`; a server that calls `readOverrides` renders the same values. Throws
 * a RangeError if the overrides do not fit into a cookie.
 */
export const overrideFlags = async (
  context: BrowserContext,
  url: string,
  flags: FlagOverrides,
): Promise<void> => {
  const [name, value] = cookieText(JSON.stringify(flags)).split('=') as [string, string];
  if (name.length + value.length >= 4096)
    throw new RangeError('flagsvc: overrides of more than 4,095 characters do not fit into a cookie');
  await context.clearCookies({ name: OVERRIDES_NAME });
  await context.addCookies([{ name, value, url, sameSite: 'Lax' }]);
};

/** Options of a test: `test.use({ flags: { 'new-checkout': true } })`. */
export interface FlagOptions {
  /** Overrides of flags by key. Default: none. */
  flags: FlagOverrides;
}

/** Playwright's `test` with the option `flags`, which overrides flags in all pages below `baseURL`. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & FlagOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = base.extend<FlagOptions>({
  flags: [{}, { option: true }],
  context: async ({ context, baseURL, flags }, use) => {
    if (Object.keys(flags).length) {
      if (!baseURL)
        throw new TypeError(
          'flagsvc: the option flags needs the option baseURL, whose pages get the overrides',
        );
      await overrideFlags(context, baseURL, flags);
    }
    await use(context);
  },
});

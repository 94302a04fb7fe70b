/** Runs the example with a short absence, and its page in Chromium. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launchChromium, watch } from '../../sdk-browser/test/browser/pages.ts';

const hasChromium = process.platform === 'linux';
const root = join(import.meta.dirname, '..', '..');
/** The example starts three processes, which takes long on a busy machine. */
const until = (isTrue: () => boolean | Promise<boolean>) =>
  expect.poll(isTrue, { timeout: 120_000 }).toBe(true);

test('a service and a page notice nothing while the server is away, and everything is counted once', async () => {
  if (!existsSync(join(root, 'relay-proxy', 'dist'))) throw new Error('Run `npm run build` first.');
  const example = spawn(process.execPath, [join(import.meta.dirname, 'main.mjs'), '--away', '10', '--once'], {
    cwd: root,
  });
  onTestFinished(() => void example.kill());
  let output = '';
  for (const stream of [example.stdout, example.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exit = once(example, 'exit');
  const address = async (name: string): Promise<string> => {
    await until(() => new RegExp(`${name} +http`).test(output) || example.exitCode !== null);
    return new RegExp(`${name} +(http:\\S+)`).exec(output)?.[1] ?? output;
  };
  const page = await address('page');
  const relay = await address('relay');
  if (hasChromium) {
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const context = await browser.newContext();
    const { complaints } = watch(context, `${relay}/api/v1`);
    const shop = await context.newPage();
    await shop.goto(page);
    const text = (id: string) => shop.locator(`#${id}`).textContent();
    await until(async () => (await text('status')) === 'ready');
    await until(() => output.includes('The server is back.') || example.exitCode !== null);
    expect([await text('status'), await text('headline')]).toEqual(['ready', 'First flush is here']);
    expect(complaints).toEqual([]);
  }
  expect([await exit, output]).toEqual([[0, null], expect.stringContaining('and 0 failed')]);
  const [, counted, answered] = /counted (\d+) evaluations\. The service answered (\d+)/.exec(output) ?? [];
  expect(counted).toBe(answered);
}, 300_000);

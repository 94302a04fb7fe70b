/** Follows every quick start of the READMEs word for word, in an empty project, from packed packages. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { launchChromium } from '../../sdk-browser/test/browser/pages.ts';
import { freePort } from '../free-port.ts';
import { root } from '../sources.ts';
import { type RunningDemo, startDemo } from './demo.ts';
import { follow, PATIENCE_MS, type Reader, type Surroundings } from './reader.ts';
import { readQuickStart, type Step } from './readme.ts';

/** Streams announce a change at once; a poll would take half a minute. */
const SOON_MS = 10_000;
const lacksChromium = process.platform !== 'linux';
const onlyLinux = lacksChromium ? ' (skipped: npm brings Chromium for Linux only)' : '';

vi.setConfig({ testTimeout: PATIENCE_MS });
let demo: RunningDemo;
let browser: Browser | undefined;
const readers = new Set<Reader>();

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), lacksChromium ? undefined : launchChromium()]);
}, 180_000);
afterEach(async () => {
  for (const reader of readers) await reader.stop();
  readers.clear();
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

/** Follows the steps beside the demo's clone. The reader stops when the test ends. */
const begin = (steps: readonly Step[], more: Partial<Surroundings> = {}): Reader => {
  const reader = follow(steps, { clone: demo.clone, ...more });
  readers.add(reader);
  return reader;
};

/** Switches new-checkout off while a reader looks. */
const whileOff = async (look: () => Promise<unknown>) => {
  await demo.toggle('new-checkout');
  try {
    await look();
  } finally {
    await demo.toggle('new-checkout');
  }
};

/** Opens a page that must show the flag, and follow when it is switched off. Returns its complaints. */
const watchPage = async (address: string, prepare?: (page: Page) => Promise<unknown>) => {
  const context = await browser!.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(String(error)));
  await prepare?.(page);
  await page.goto(address);
  await page.getByRole('heading', { name: 'One page' }).waitFor({ timeout: PATIENCE_MS });
  const beforeSwitch = await page.evaluate(() => {
    const world = globalThis as { commits?: number };
    return world.commits;
  });
  await whileOff(() => page.getByRole('heading', { name: 'Four steps' }).waitFor({ timeout: SOON_MS }));
  return { complaints, beforeSwitch };
};

const nodeSteps = readQuickStart('sdk-node/README.md', 'Quick start');
/** The steps until packages are installed and variables copied. */
const nodeProject = nodeSteps.slice(0, 1);
/** Compiles only if the generated types know the flags: TypeScript refuses an expected error that does not occur. */
const typo = {
  file: 'typo.mts',
  text: `import { createNodeClient } from '@flagsvc/sdk-node';
declare const client: ReturnType<typeof createNodeClient>;
// @ts-expect-error There is no such flag.
client.flag('new-chekout', {}, false);
`,
};

test.each([
  ['README.md', readQuickStart('README.md', 'In your code')],
  ['sdk-node/README.md', nodeSteps],
  ['sdk-node/README.md, CommonJS', [...nodeProject, ...readQuickStart('sdk-node/README.md', 'CommonJS')]],
  [
    'sdk-node/README.md, TypeScript',
    [...nodeProject, typo, ...readQuickStart('sdk-node/README.md', 'TypeScript')],
  ],
])('the quick start of %s prints the flag, and its change at once', async (_, steps) => {
  const reader = begin(steps);
  await reader.reads(/^new-checkout: true$/m);
  await whileOff(async () => {
    const since = performance.now();
    await reader.reads(/^new-checkout: false$/m);
    expect(performance.now() - since).toBeLessThan(SOON_MS);
  });
  expect(reader.output()).not.toMatch(/warn|flagsvc: /i);
});

test('the quick start of sdk-core evaluates the ruleset', async () => {
  const reader = begin(readQuickStart('sdk-core/README.md', 'Quick start'));
  expect([await reader.ended, reader.output()]).toEqual([
    0,
    expect.stringContaining("reason: 'TARGETING_RULE'"),
  ]);
  for (const flag of ['dark-mode', 'welcome-text', 'express-pay']) expect(reader.output()).toContain(flag);
});

test.skipIf(lacksChromium)(
  `the page without a bundler shows the flag, and its change at once${onlyLinux}`,
  async () => {
    const port = `${await freePort()}`;
    const reader = begin(readQuickStart('sdk-browser/README.md', 'Quick start'), {
      env: { PYTHONUNBUFFERED: '1' },
      replace: {
        'YOUR CLIENT KEY': demo.variables['FLAGSVC_CLIENT_KEY']!,
        'http://127.0.0.1:8000/api/v1': demo.baseUrl,
        'http.server 8080': `http.server ${port}`,
      },
    });
    await reader.reads(/Serving HTTP/);
    const { complaints } = await watchPage(`http://127.0.0.1:${port}/`);
    expect(complaints).toEqual([]);
  },
);

const reactSteps = readQuickStart('sdk-react/README.md', 'Quick start');

test.skipIf(lacksChromium)(
  `the React app shows the flag, and its change at once, by Vite and built${onlyLinux}`,
  async () => {
    const reader = begin(reactSteps);
    const [, address] = await reader.reads(/Local:\s+(http:\S+)/);
    const { complaints } = await watchPage(address!);
    expect(complaints).toEqual([]);
    await reader.stop();

    const port = await freePort();
    const built = [
      ...reactSteps.slice(0, -1),
      { command: `npx vite build && npx vite preview --port ${port}` },
    ];
    await begin(built).reads(/Local:/);
    expect((await watchPage(`http://localhost:${port}/`)).complaints).toEqual([]);
  },
);

/** Counts React's commits: React reports them to this hook of its developer tools. */
const countCommits = (page: Page) =>
  page.addInitScript(() => {
    const world = globalThis as { commits?: number };
    world.commits = 0;
    const hook = {
      ...{ supportsFiber: true, isDisabled: false, renderers: new Map(), checkDCE() {} },
      inject: () => 1,
      onCommitFiberRoot: () => void world.commits!++,
      onCommitFiberUnmount() {},
      onPostCommitFiberRoot() {},
    };
    Object.assign(globalThis, { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook });
  });

test.skipIf(lacksChromium)(
  `the page rendered on the server hydrates without a warning or a second render, and follows a change${onlyLinux}`,
  async () => {
    const port = `${await freePort()}`;
    const steps = [
      ...reactSteps.slice(0, -1),
      ...readQuickStart('sdk-react/README.md', 'Quick start with server rendering'),
    ];
    const reader = begin(steps, { env: { PORT: port } });
    const [address = ''] = await reader.reads(/http:\/\/localhost:\d+/);
    expect(await (await fetch(address)).text()).toContain('<h1>One page</h1>');
    const { complaints, beforeSwitch } = await watchPage(address, countCommits);
    expect(complaints).toEqual([]);
    expect(beforeSwitch).toBe(1);
  },
);

test('the server is installed, registers its admin and serves', async () => {
  const port = `${await freePort()}`;
  const [start, register] = readQuickStart('reference-server/README.md', 'Quick start');
  const server = begin([start!], {
    env: { FLAGSVC_PORT: port, FLAGSVC_DASHBOARD_PORT: `${await freePort()}` },
  });
  await server.reads(/listening on/);
  const person = begin([register!], { replace: { '127.0.0.1:8000': `127.0.0.1:${port}` } });
  expect([await person.ended, person.output()]).toEqual([0, expect.stringContaining('"role":"admin"')]);
});

test('the relay answers with the flags of the demo', async () => {
  const port = `${await freePort()}`;
  const [start, ask] = readQuickStart('relay-proxy/README.md', 'Quick start');
  const replace = {
    // A person types the password; here it comes through a pipe.
    'npx flagsvc login --url http://127.0.0.1:8000 --email admin@example.com': `echo '${demo.password}' | npx flagsvc login --url ${new URL(demo.baseUrl).origin} --email ${demo.email} --password-stdin`,
    'http://127.0.0.1:8000': new URL(demo.baseUrl).origin,
    '127.0.0.1:8100': `127.0.0.1:${port}`,
    '.data/demo.env': join(demo.clone, '.data', 'demo.env'),
  };
  const data = mkdtempSync(join(demo.clone, 'relay-'));
  const env = { FLAGSVC_RELAY_PORT: port, FLAGSVC_RELAY_DATA_DIR: data, FLAGSVC_CONFIG_DIR: data };
  const relay = begin([start!], { folder: root, env, replace });
  await relay.reads(/listening on/);
  const person = begin([ask!], { folder: root, replace });
  expect([await person.ended, person.output()]).toEqual([0, expect.stringContaining('"new-checkout"')]);
});

test('the kit is installed, and checks the adapter that it brings', async () => {
  const reader = begin(readQuickStart('conformance/README.md', 'Quick start'));
  expect([await reader.ended, reader.output()]).toEqual([0, expect.stringContaining('python-evaluator')]);
});

test('every README with a quick start is followed here', () => {
  const here = readFileSync(import.meta.filename, 'utf8');
  const readmes = readdirSync(root)
    .map((folder) => `${folder}/README.md`)
    .filter((file) => existsSync(join(root, file)));
  const headings = readmes.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^#+ (Quick start.*)$/gm)].map(
      ([, heading]) => `readQuickStart('${file}', '${heading}')`,
    ),
  );
  expect(headings.length).toBeGreaterThan(5);
  expect(headings.filter((call) => !here.includes(call))).toEqual([]);
});

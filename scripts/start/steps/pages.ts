/** Builds the pages of `npm start` while the server starts, unless they are newer than their sources. */
import { spawn } from 'node:child_process';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../settings.ts';

/** Where each page is built. The example's own `dist` is built from the packages, and tests use it. */
const PAGES = {
  example: { app: 'examples/react-app', folder: 'node_modules/.cache/start/react-app' },
  dashboard: { app: 'dashboard', folder: 'dashboard/dist' },
} as const;

export type PageName = keyof typeof PAGES;

/** The packages whose sources are part of a page. */
const BUNDLED = ['sdk-core/src', 'sdk-browser/src', 'sdk-react/src', 'sdk-node/src'];

/** Resolves with the folder of the built page. Rejects with the build's output when it fails. */
export async function buildPage(name: PageName): Promise<string> {
  const { app, folder } = PAGES[name];
  const target = join(root, folder);
  if (timeOf(join(target, 'index.html')) < newest([app, ...BUNDLED])) await replacePage(app, target);
  return target;
}

/** Builds beside the folder, so that no request meets half a page. */
async function replacePage(app: string, target: string): Promise<void> {
  const fresh = `${target}.new`;
  await runBuild(app, fresh);
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

function runBuild(app: string, target: string): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const args = ['scripts/start/build-page.ts', app, target];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${output}\n${app} could not be built.`)),
    );
  });
}

/** When the last of these sources changed; a folder changes when a file in it comes or goes. */
function newest(folders: readonly string[]): number {
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => !MADE.test(path))
      .map((path) => join(root, folder, path)),
  );
  return Math.max(...[join(root, 'package-lock.json'), ...sources].map(timeOf));
}

/** What is installed, built or generated, or is read only by tests. */
const MADE = /(^|[\\/])(node_modules|dist|dist\.new|generated|test)([\\/]|$)/;

/** Milliseconds since 1970; 0 when there is no such file. */
function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

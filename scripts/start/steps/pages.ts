/** Builds the pages of `npm start` while the server starts, unless their sources are those of the last start. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
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
  const stamp = join(root, 'node_modules', '.cache', 'start', `${name}.digest`);
  const wanted = digest([app, ...BUNDLED]);
  const isBuilt = existsSync(join(target, 'index.html')) && existsSync(stamp);
  if (isBuilt && readFileSync(stamp, 'utf8') === wanted) return target;
  await runBuild(app, target);
  mkdirSync(join(stamp, '..'), { recursive: true });
  writeFileSync(stamp, wanted);
  return target;
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

/** A hash of the lockfile and of all files in these folders, except those that are made or installed. */
function digest(folders: readonly string[]): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of folders.flatMap(filesIn)) hash.update(relative(root, file)).update(readFileSync(file));
  return hash.digest('hex');
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/[\\/](node_modules|dist|generated)[\\/]/.test(file))
    .sort();
}

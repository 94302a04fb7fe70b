// Builds the packages whose sources have changed since the last build. `--force` builds all packages.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { copyDashboard } from './copy-dashboard.mjs';
import { root } from './ensure.mjs';
import { apps, built, declared } from './packages.mjs';

const isForced = process.argv.includes('--force');
// A package's build can contain declarations of earlier packages, so a changed package rebuilds all later ones too.
let previous = digest(
  ['tsconfig.base.json', 'package-lock.json', 'scripts/packages-declarations.mjs', 'scripts/openapi.ts'].map(
    (file) => join(root, file),
  ),
);

let isDashboardNew = false;
for (const name of [...built, ...apps]) {
  const folder = join(root, name);
  const dist = join(folder, 'dist');
  // The stamp must not be in `dist`, because that folder is published.
  const stamp = join(root, 'node_modules', `.flagsvc-built-${name.replace('/', '-')}`);
  const isApp = apps.includes(name);
  // Each package is published with a copy of the root's licence.
  if (!isApp) copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const more = isApp ? ['package.json', 'vite.config.ts', 'index.html'] : ['package.json', 'tsup.config.ts'];
  const files = [...filesIn(join(folder, 'src')), ...more.map((file) => join(folder, file))];
  if (existsSync(join(folder, 'public'))) files.push(...filesIn(join(folder, 'public')));
  previous = digest(files, previous);
  if (!isForced && existsSync(dist) && existsSync(stamp) && readFileSync(stamp, 'utf8') === previous)
    continue;
  rmSync(stamp, { force: true });
  console.log(`Building ${name} …`);
  const command = isApp ? ['vite/bin/vite.js', 'build'] : ['tsup/dist/cli-default.js'];
  run(name, [join(root, 'node_modules', command[0]), ...command.slice(1)]);
  if (name === 'reference-server') writeDocument(name);
  if (declared.includes(name)) (await import('./packages-declarations.mjs')).writeDeclarations(folder);
  writeFileSync(stamp, previous);
  isDashboardNew ||= name === 'reference-server' || name === 'dashboard';
}
const packed = join(root, 'reference-server', 'dist', 'dashboard');
if (isDashboardNew || !existsSync(packed)) copyDashboard(join(root, 'dashboard', 'dist'), packed);

/** Writes the OpenAPI document into the server's `dist`. */
function writeDocument(name) {
  run(name, ['--conditions=@flagsvc/source', join(root, 'scripts', 'openapi.ts')]);
  copyFileSync(join(root, name, 'generated', 'openapi.json'), join(root, name, 'dist', 'openapi.json'));
}

/** Runs one build step in the package's folder. Prints its output only when it fails. */
function run(name, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(root, name),
    encoding: 'utf8',
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}\n${name} could not be built.\n`);
  process.exit(status ?? 1);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test(-d)?\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function digest(files, seed = '') {
  const hash = createHash('sha256').update(seed);
  for (const file of files) hash.update(relative(root, file)).update(readFileSync(file));
  return hash.digest('hex');
}

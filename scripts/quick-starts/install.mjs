// Stands for `npm install` where there is no network: unpacks the named tarballs, and links every other package from
// the repository. Like npm, it refuses a package of ours that is not named, because no registry has it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const installed = process.env.INSTALLED_PACKAGES;
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const tarballs = named.filter((name) => name.endsWith('.tgz'));
const ours = tarballs.map((file) => `@flagsvc/${basename(file, '.tgz')}`);
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

for (const [at, file] of tarballs.entries()) {
  const target = join('node_modules', ours[at]);
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', file, '-C', target, '--strip-components=1']);
}
for (const name of ours) {
  const {
    dependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = manifestOf(join('node_modules', name));
  const needed = [
    ...Object.keys(dependencies),
    ...Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]),
  ];
  for (const dependency of needed) {
    if (dependency.startsWith('@flagsvc/')) requireOurs(dependency, name);
    else link(dependency);
  }
  linkCommands(name);
}
for (const name of named) if (!name.endsWith('.tgz')) link(name);

function requireOurs(dependency, by) {
  if (ours.includes(dependency) || existsSync(join('node_modules', dependency))) return;
  console.error(`404 Not Found: ${dependency}, which ${by} needs, is not published`);
  process.exit(1);
}

function link(name) {
  const source = join(installed, name);
  if (!existsSync(source)) throw new Error(`${name} is not installed in the repository`);
  const target = join('node_modules', name);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(source, target);
  linkCommands(name);
}

function linkCommands(name) {
  const { bin = {} } = manifestOf(join('node_modules', name));
  const commands = typeof bin === 'string' ? { [basename(name)]: bin } : bin;
  mkdirSync('node_modules/.bin', { recursive: true });
  for (const [command, file] of Object.entries(commands)) {
    const target = join('node_modules', '.bin', command);
    if (!existsSync(target)) symlinkSync(join('..', name, file), target);
  }
}

// Checks the types of every project, and lists the projects with errors.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './ensure.mjs';
import { projects } from './packages.mjs';

const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const wrong = projects().filter((project) => {
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
  return status !== 0;
});
if (wrong.length > 0) {
  console.error(`Type errors in ${wrong.join(', ')}.`);
  process.exit(1);
}

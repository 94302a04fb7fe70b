// `node scripts/run.mjs <task> [arguments]`: the npm scripts of the root. Installs what is missing, then runs the
// task's steps with the repository's own Node.
import { spawn } from 'node:child_process';
import { ensureInstalled, node, root } from './ensure.mjs';
import { tasks } from './tasks.mjs';

const [name = '', ...args] = process.argv.slice(2);
const task = tasks[name];
if (!task) {
  console.error(`There is no task "${name}". Known: ${Object.keys(tasks).sort().join(', ')}.`);
  process.exit(2);
}
ensureInstalled();

for (const step of task) {
  const code = await run(step, step === task.at(-1) ? args : []);
  if (code !== 0) process.exit(code);
}

/** Runs one step in the foreground. Ctrl-C reaches it by itself; what is sent to this process alone is handed on. */
function run(step, extra) {
  const child = spawn(node, [...step, ...extra], { cwd: root, stdio: 'inherit' });
  process.removeAllListeners('SIGINT').on('SIGINT', () => {});
  process.removeAllListeners('SIGTERM').on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

// `node scripts/run.mjs <task> [arguments]` implements the npm scripts of the root: it installs missing dependencies,
// then runs the task's steps with the repository's own Node.
import { ensureInstalled } from './ensure.mjs';
import { runInForeground } from './foreground.mjs';
import { runningTasks, tasks } from './tasks.mjs';

const [name = '', ...args] = process.argv.slice(2);
const task = tasks[name];
if (!task) {
  console.error(`There is no task "${name}". Known: ${Object.keys(tasks).sort().join(', ')}.`);
  process.exit(2);
}
await ensureInstalled(runningTasks.includes(name) ? 'running' : 'everything');

for (const step of task) {
  const code = await runInForeground(step === task.at(-1) ? [...step, ...args] : step);
  if (code !== 0) process.exit(code);
}

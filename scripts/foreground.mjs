// Runs one step of a command, as if it were the command itself. Plain JavaScript: it runs on whatever Node there is.
import { spawn } from 'node:child_process';
import { node, root } from './ensure.mjs';

const PARENT_CHECK_MS = 250;
const parent = process.ppid;

/**
 * Runs the repository's Node with these arguments in the foreground and gives its exit code. Ctrl-C reaches the step
 * by itself, being in the same process group; SIGTERM is handed on to it. npm hands SIGTERM to its shell alone, which
 * ends without a word: under npm, a parent that is gone counts as the signal.
 */
export function runInForeground(args) {
  const child = spawn(node, args, { cwd: root, stdio: 'inherit' });
  let watch;
  const stop = () => {
    // A second signal would cut the step short.
    clearInterval(watch);
    child.kill('SIGTERM');
  };
  process.removeAllListeners('SIGINT').on('SIGINT', () => {});
  process.removeAllListeners('SIGTERM').on('SIGTERM', stop);
  if (process.env.npm_lifecycle_event)
    watch = setInterval(() => process.ppid === parent || stop(), PARENT_CHECK_MS);
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}

// Runs one step of a command in the foreground. Plain JavaScript, because it runs on the machine's own Node.
import { spawn } from 'node:child_process';
import { node, root } from './ensure.mjs';

const PARENT_CHECK_MS = 250;
const parent = process.ppid;

/**
 * Runs the repository's Node with these arguments and resolves with its exit code. Ctrl-C reaches the child directly,
 * because it is in the same process group; SIGTERM is forwarded. npm sends SIGTERM only to the shell that is this
 * process's parent. Therefore, under npm, the child is also stopped when the parent process exits.
 */
export function runInForeground(args) {
  const child = spawn(node, args, { cwd: root, stdio: 'inherit' });
  let watch;
  const stop = () => {
    // Ends the watch first, because a second signal would end the child without a graceful shutdown.
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

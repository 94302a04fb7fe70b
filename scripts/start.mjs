// `npm start`: installs and builds what is missing, starts the server with a demo, and runs the quickstart on it.
import { spawn } from 'node:child_process';
import { ensureInstalled, node, root } from './ensure.mjs';

ensureInstalled();
const code = await run(['scripts/build.mjs']);
process.exit(code || (await run(['scripts/start/main.ts'])));

/** Ctrl-C reaches the step by itself, being in the same process group; SIGTERM is handed on to it. */
function run(args) {
  const child = spawn(node, args, { cwd: root, stdio: 'inherit' });
  process.removeAllListeners('SIGINT').on('SIGINT', () => {});
  process.removeAllListeners('SIGTERM').on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}

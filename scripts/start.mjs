// `npm start`: installs what it needs, starts the server with a demo, and runs the quickstart against it. Nothing is
// built, because Node runs the sources.
import { join } from 'node:path';
import { ensureInstalled, root } from './ensure.mjs';
import { runInForeground } from './foreground.mjs';

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg !== '--reset');
if (unknown !== undefined) {
  console.error(`npm start does not know "${unknown}". Use \`npm start -- --reset\` to start the demo over.`);
  process.exit(2);
}
await ensureInstalled('running');
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled');
process.exit(await runInForeground(['--conditions=@flagsvc/source', 'scripts/start/main.ts', ...args]));

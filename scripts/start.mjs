// `npm start`: installs and builds if needed, starts the server with a demo, and runs the quickstart against it.
import { ensureInstalled } from './ensure.mjs';
import { runInForeground } from './foreground.mjs';

ensureInstalled();
const code = await runInForeground(['scripts/build.mjs']);
process.exit(code || (await runInForeground(['scripts/start/main.ts'])));

/** The full run: twice as many values as the test, and the headers of every write. */

import { createTargets } from '../endpoints/targets.ts';
import { startServer } from '../server.ts';
import { drive } from './drive.ts';
import { HOSTILE, MORE_HOSTILE } from './hostile-values.ts';

const server = await startServer();
const started = performance.now();
const { calls, failures } = await drive(server, await createTargets(server), {
  values: [...HOSTILE, ...MORE_HOSTILE],
  headersOf: () => true,
});
await server.close();
for (const failure of failures) process.stdout.write(`${failure.slice(0, 1_000)}\n`);
const seconds = Math.round((performance.now() - started) / 1_000);
process.stdout.write(`${calls} hostile requests in ${seconds} s, ${failures.length} wrong answers\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

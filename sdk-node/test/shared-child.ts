// Run by shared.test.ts in threads and processes: a client that reports what happens to it and obeys commands.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createClientOn } from '../src/client/node-client.ts';
import { startSteppedClock } from './stepped-clock.ts';

/** `advanceMs` moves the clock. `evaluations` evaluates a flag that many times, sends the events and reports counts. */
interface Command {
  readonly advanceMs?: number;
  readonly evaluations?: number;
}

const send = (message: object) => (parentPort ? parentPort.postMessage(message) : process.send!(message));
const user = { user_key: 'u' };
const { clock, advance } = startSteppedClock();
const client = createClientOn(clock, {
  apiKey: 'sdk-dev-shared',
  logger: (_, text) => send({ fault: text }),
  shared: true,
  fetch(url, init) {
    if (`${url}`.endsWith('/sdk/ruleset')) send({ polled: true });
    return fetch(url, init);
  },
  ...(isMainThread ? JSON.parse(process.argv[2]!) : workerData),
});
client.on('change', () => send({ greeting: client.flag('greeting', user, '') }));
client.on('status', (status) => send({ status }));

const obey = async ({ advanceMs, evaluations }: Command) => {
  if (advanceMs !== undefined) {
    await advance(advanceMs);
    send({ nowMs: clock.monotonic() });
  }
  if (evaluations === undefined) return;
  for (let i = 0; i < evaluations; i++) client.flag('greeting', user, '');
  await client.flush();
  send({ stats: client.stats() });
};
if (parentPort) parentPort.on('message', obey);
else process.on('message', (command) => obey(command as Command));

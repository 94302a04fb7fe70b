// Run by shared.test.ts in threads and processes: a client that tells what happens to it and does as it is told.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createNodeClient } from '@flagsvc/sdk-node';

const tell = (message: object) => (parentPort ? parentPort.postMessage(message) : process.send!(message));
const user = { user_key: 'u' };
const client = createNodeClient({
  apiKey: 'sdk-dev-shared',
  logger: (_, text) => tell({ fault: text }),
  shared: true,
  fetch(url, init) {
    if (`${url}`.endsWith('/sdk/ruleset')) tell({ polled: true });
    return fetch(url, init);
  },
  ...(isMainThread ? JSON.parse(process.argv[2]!) : workerData),
});
const greet = () => tell({ greeting: client.flag('greeting', user, '') });
client.on('change', greet);
client.on('status', (status) => tell({ status }));

/** Commands: how often to evaluate before the books are told. */
const obey = async (times: number) => {
  for (let i = 0; i < times; i++) client.flag('greeting', user, '');
  await client.flush();
  tell({ stats: client.stats() });
};
if (parentPort) parentPort.on('message', obey);
else process.on('message', obey);

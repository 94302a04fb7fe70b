// Run by process-exit.test.ts in a process of its own: node exit-child.ts <baseUrl> <what>
import { createNodeClient } from '@flagsvc/sdk-node';

const [, , baseUrl = '', what = ''] = process.argv;
const options = {
  apiKey: 'sdk-dev-exit',
  baseUrl,
  pollIntervalMs: 200,
  retryBaseMs: 100,
  logger: false as const,
};
const client = createNodeClient({
  ...options,
  flushOnSigterm: what === 'sigterm',
  streaming: what === 'streaming',
  shared: what === 'shared',
});
const user = { user_key: 'u' };

if (what === 'many') {
  for (let i = 0; i < 1000; i++) await createNodeClient(options).close({ timeoutMs: 0 });
  await client.close();
  const handles = process
    .getActiveResourcesInfo()
    .filter((name) => !/^(TTYWrap|PipeWrap|FSReqCallback)$/.test(name));
  console.log(JSON.stringify({ handles, listeners: process.listenerCount('beforeExit') }));
} else if (what === 'sigterm') {
  setInterval(() => {}, 1000);
  await client.ready();
  client.flag('greeting', user, '');
  console.log('up');
} else if (what === 'top-level-await') {
  console.log(await client.ready({ timeoutMs: 400 }));
} else {
  if (what !== 'at-once') await client.ready({ timeoutMs: 500 });
  // By then the second poll is under way, or the stream is open.
  if (what === 'later' || what === 'streaming' || what === 'shared')
    await new Promise((resolve) => setTimeout(resolve, 400));
  client.flag('greeting', user, '');
  console.log('last line');
}

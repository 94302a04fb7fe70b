// Run by process-exit.test.ts in a process of its own: node exit-child.ts <baseUrl> <what>
import { writeSync } from 'node:fs';
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

if (what.startsWith('many')) {
  const refs: WeakRef<object>[] = [];
  // A separate function, because the engine could keep the loop's last client alive in a register.
  const openAndClose = async (turns: number) => {
    const one = createNodeClient({ ...options, streaming: what === 'many streaming' });
    refs.push(new WeakRef(one));
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    await one.close({ timeoutMs: 0 });
  };
  // Closes the clients at different moments after they were opened.
  for (let i = 0; i < 1000; i++) await openAndClose(i % 4);
  let alive = refs.length;
  // Waits for requests in flight to end.
  for (let waits = 0; alive > 0 && waits < 100; waits++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    gc!();
    alive = refs.filter((ref) => ref.deref()).length;
  }
  await client.close();
  const closedAt = performance.now();
  process.on('exit', () => {
    const handles = process
      .getActiveResourcesInfo()
      .filter((name) => !/^(TTYWrap|PipeWrap|FSReqCallback)$/.test(name));
    const listeners = process.listenerCount('beforeExit');
    const exitMs = performance.now() - closedAt;
    writeSync(1, JSON.stringify({ handles, listeners, alive, exitMs }));
  });
} else if (what === 'sigterm') {
  setInterval(() => {}, 1000);
  await client.ready();
  client.flag('greeting', user, '');
  console.log('up');
} else if (what === 'top-level-await') {
  console.log(await client.ready({ timeoutMs: 400 }));
} else if (what === 'own-request') {
  await client.ready();
  const { status } = await fetch(`${baseUrl}/evaluate`, { headers: { 'x-api-key': options.apiKey } });
  console.log(status);
} else if (what === 'flush') {
  client.flag('greeting', user, '');
  await client.flush();
  console.log(client.stats().delivered);
} else {
  if (what !== 'at-once') await client.ready({ timeoutMs: 500 });
  // By then the second poll is in flight, or the stream is open.
  if (what === 'later' || what === 'streaming' || what === 'shared')
    await new Promise((resolve) => setTimeout(resolve, 400));
  client.flag('greeting', user, '');
  console.log('last line');
}

// Run by host-patches.test.ts in a process of its own: node patched-child.ts <baseUrl> <cacheDir> <patch>
import { runInThisContext } from 'node:vm';

const [, , baseUrl = '', cacheDir = '', patch = ''] = process.argv;
// Patches before any of our modules is loaded, as hosts do.
runInThisContext(patch);

const { createNodeClient } = await import('@flagsvc/sdk-node');
const client = createNodeClient({ apiKey: 'sdk-dev-patched', baseUrl, cacheDir, pollIntervalMs: 200 });
const changes: string[] = [];
const user = { user_key: 'u1', attributes: { tags: ['a'] } };
const read = () => client.flag('list', user, [] as readonly unknown[]);

await client.ready();
const first = read();
client.on('change', (keys) => changes.push(...keys));
client.flag('greeting', user, '');
client.track('bought', user, { value: 3, properties: { items: ['x', ['y']], for: { whom: 'me' } } });
await client.flush();
// The next poll brings another ruleset.
while (client.stats().rulesetVersion !== 2) await new Promise((resolve) => setTimeout(resolve, 20));
const second = read();
await client.close();
process.stdout.write(`${first.length} ${first[0]} ${second[0]} ${changes.join()}`);

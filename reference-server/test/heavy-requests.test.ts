import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from './api.ts';
import { booleanFlag, PASSWORD } from './server.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { createHttpTransport } from './transports.ts';

/** Eleven patterns of 901 states each: one more would exceed the limit of a flag. */
const HEAVY = Array.from({ length: 11 }, (_, index) => `(a{1,30}){1,30}${index % 10}`);
/** With this many heavy flags, one request causes nearly the most work allowed. */
const FLAGS = 14;
const ATTACKERS = 20;
const PROBES = 15;
/**
 * The most processor time before an answer. A server that did all requested work first would need fifty times as much.
 */
const MAXIMUM_MS = 250;

const folder = mkdtempSync(join(tmpdir(), 'flagsvc-'));
let server: ServerProcess;
let page: Api;

beforeAll(async () => {
  server = startServer({ FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}` });
  const transport = createHttpTransport(await server.url);
  const account = { email: 'admin@example.com', password: PASSWORD };
  const { auth } = createApi({ transport });
  await auth.register(account);
  const { access_token: token } = await auth.login(account);
  const api = createApi({ transport, token });
  const [project] = await api.projects.list();
  const [environment] = await api.environments.listOf(project!.id);
  const { flags } = api.in(environment!.id);
  const targeting_rules = HEAVY.map((value, index) => ({
    priority: index,
    conditions: [{ attribute: 'note', operator: 'matches_regex' as const, value }],
    variation: 'on',
  }));
  const create = async (key: string) => {
    const { id } = await flags.create(booleanFlag(key, { client_side: true }));
    await flags.toggle(id, true);
    return id;
  };
  for (let index = 0; index < FLAGS; index++) {
    await flags.update(await create(`heavy-${index}`), { targeting_rules });
  }
  await create('light');
  const { key: apiKey } = await api.apiKeys.create(environment!.id, { name: 'page', kind: 'client' });
  page = createApi({ transport, apiKey: apiKey! });
}, 120_000);
afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.exit;
  rmSync(folder, { recursive: true });
});

const evaluate = (flags: readonly string[], note: string) =>
  page.dataPlane.evaluate({ flags: [...flags], context: { user_key: 'u', attributes: { note } } }).answer;

/**
 * Processor time of the server so far, in ms. In `/proc/<pid>/stat`, two of the fields after the name in brackets count
 * it in units of 10 ms.
 */
function processorMs(): number {
  const fields = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function costOf(act: () => Promise<unknown>): Promise<number> {
  const before = processorMs();
  await act();
  return processorMs() - before;
}

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[values.length >> 1]!;

// Measures processor time, because wall-clock time would include other processes.
test.skipIf(!existsSync('/proc/self/stat'))(
  'answers liveness checks and light evaluations soon while heavy evaluations run (skipped without /proc)',
  { timeout: 120_000 },
  async () => {
    let isOver = false;
    let texts = 0;
    const statuses = new Map<number, number>();
    const attack = async (): Promise<void> => {
      while (!isOver) {
        // A new text each time, so that no result is cached.
        const { status } = await evaluate(['*'], `${texts++ % 100}${'a'.repeat(66)}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const attackers = Array.from({ length: ATTACKERS }, attack);
    const live: number[] = [];
    const light: number[] = [];
    for (let probe = 0; probe < PROBES; probe++) {
      live.push(
        await costOf(async () => expect((await fetch(`${await server.url}/health/live`)).status).toBe(200)),
      );
      light.push(await costOf(async () => expect((await evaluate(['light'], 'x')).status).toBe(200)));
    }
    isOver = true;
    await Promise.all(attackers);
    expect(median(live)).toBeLessThan(MAXIMUM_MS);
    expect(median(light)).toBeLessThan(MAXIMUM_MS);
    // Requests that would wait too long are refused.
    expect([...statuses.keys()].every((status) => status === 200 || status === 503)).toBe(true);
    expect(statuses.get(200)).toBeGreaterThan(0);
  },
);

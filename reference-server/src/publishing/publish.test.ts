import { expect, test, vi } from 'vitest';
import type { KeyGrant, PublishedRuleset, RulesetNotice } from '../data-plane/ports.ts';
import { createServingPath } from '../data-plane/serving-path.ts';
import { generateKey } from './key-format.ts';
import type { KeyUse, StoredKey } from './key-ring.ts';
import { hashApiKey } from './key-ring.ts';
import type { RulesetReading } from './ports.ts';
import { createPublisher, type Publisher } from './publish.ts';

const SECRET = 's'.repeat(32);
const [KEY, OTHER_KEY] = [generateKey('development'), generateKey('development')];
const server: KeyGrant = {
  keyId: 'key_1',
  kind: 'server',
  environmentId: 'env_1',
  projectId: 'prj_1',
  organizationId: 'org_1',
};
const client: KeyGrant = { ...server, keyId: 'key_2', kind: 'client' };

/** A source whose contents the test changes, and whose readings it counts and can hold up. */
function createSource() {
  const flag = {
    key: 'a',
    flag_type: 'boolean',
    status: 'active',
    enabled: 0 as 0 | 1,
    client_side: 0 as const,
    variations_json: '[{"key":"on","value":true},{"key":"off","value":false}]',
    default_variation: 'off',
    rules_json: '[]',
    prerequisites_json: '[]',
  };
  const state = {
    epoch: 'e1',
    version: 1,
    flag,
    reads: 0,
    etags: [] as string[],
    fault: undefined as Error | undefined,
    readOnly: false,
  };
  let gate: Promise<void> = Promise.resolve();
  return {
    state,
    hold(): () => void {
      let release = (): void => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    async read(environmentId: string): Promise<RulesetReading | undefined> {
      state.reads += 1;
      const { epoch, version } = state;
      const reading = {
        environmentId,
        version,
        isWhole: true,
        flags: new Map([['flg_1', { ...state.flag }]]),
        segments: new Map(),
        mark: { epoch, seq: version, dataVersion: 1 },
      };
      await gate;
      if (state.fault !== undefined) throw state.fault;
      return environmentId === 'env_1' ? reading : undefined;
    },
    async renewEpoch(_environmentId: string, epoch: string) {
      if (state.readOnly) throw new Error('read only');
      state.epoch = `${epoch}+`;
    },
    async recordEtag(_environmentId: string, _version: number, etag: string) {
      state.etags.push(etag);
    },
  };
}

function createKeys() {
  const stored = new Map<string, StoredKey>();
  const touched: KeyUse[] = [];
  let lookups = 0;
  return {
    stored,
    touched,
    lookups: () => lookups,
    async findByHash(hash: string) {
      lookups += 1;
      return stored.get(hash);
    },
    isLive: async (keyId: string) => [...stored.values()].some((key) => key.keyId === keyId),
    async touch(uses: readonly KeyUse[]) {
      touched.push(...uses);
    },
  };
}

function setUp(options: { bytesMax?: number } = {}) {
  const source = createSource();
  const keys = createKeys();
  const faults: string[] = [];
  const time = { now: Date.parse('2026-11-20T10:00:00.000Z') };
  const publisher = createPublisher({
    source,
    keys,
    prepare: createServingPath({ fast: true }).prepare,
    apiSecretKey: SECRET,
    now: () => time.now,
    log: { error: (_details, message) => faults.push(message) },
    ...options,
  });
  const commit = (change: () => void): Promise<void> => {
    change();
    source.state.version += 1;
    return publisher.afterCommit(['env_1'], ['a']);
  };
  return { source, keys, publisher, time, faults, commit };
}

async function enabledIn(publisher: Publisher, grant = server): Promise<boolean | undefined> {
  return (await publisher.current(grant)).evaluator.ruleset.flags[0]?.enabled;
}

test('reads an environment once and then answers at once from memory', async () => {
  const { publisher, source } = setUp();
  const [first, second] = await Promise.all([publisher.current(server), publisher.current(server)]);
  expect(first).toBe(second);
  expect(publisher.current(server)).toBe(first);
  expect(source.state.reads).toBe(1);
  await publisher.close();
  expect(source.state.etags).toEqual([first.etag]);
});

test('answers with a change from the moment it may be acknowledged, and until then at once with what was', async () => {
  const { publisher, source, commit } = setUp();
  const before = (await publisher.current(server)) as PublishedRuleset;
  const release = source.hold();
  const acknowledged = commit(() => (source.state.flag.enabled = 1));
  expect(publisher.current(server)).toBe(before);
  release();
  await acknowledged;
  expect(publisher.current(server)).not.toBeInstanceOf(Promise);
  expect(await enabledIn(publisher)).toBe(true);
  const after = await publisher.current(server);
  expect(after.version).toBe(2);
  expect(after.etag).not.toBe(before.etag);
});

test('does not take a reading from before a change for one from after it', async () => {
  const { publisher, source, commit } = setUp();
  await publisher.current(server);
  const release = source.hold();
  const first = commit(() => {});
  const second = commit(() => (source.state.flag.enabled = 1));
  release();
  await first;
  expect(await enabledIn(publisher)).toBe(false);
  await second;
  expect(await enabledIn(publisher)).toBe(true);
  expect(source.state.reads).toBe(3);
});

test('acknowledges a change before it tells of it, and tells on when a listener fails', async () => {
  const { publisher, faults, commit } = setUp();
  await publisher.current(server);
  const versions: number[] = [];
  publisher.subscribe('env_1', ({ version }) => {
    versions.push(version);
    throw new Error('a broken listener');
  });
  for (const version of [2, 3]) {
    await commit(() => {});
    expect((publisher.current(server) as PublishedRuleset).version).toBe(version);
    expect(versions).not.toContain(version);
    await publisher.settled();
    expect(versions).toContain(version);
  }
  expect(faults).toEqual(Array.from({ length: 2 }, () => 'not all subscribers were notified'));
});

test('notes the last version when it is closed at once', async () => {
  const { publisher, source, commit } = setUp();
  await publisher.current(server);
  void commit(() => {});
  await publisher.close();
  expect(source.state.etags).toEqual([expect.stringMatching(/^W\/"2-/)]);
});

test('publishes many changes at once', async () => {
  const { publisher, source, commit } = setUp();
  await publisher.current(server);
  for (let count = 0; count < 50; count++) commit(() => {});
  await publisher.settled();
  expect((await publisher.current(server)).version).toBe(51);
  expect(source.state.reads).toBeLessThanOrEqual(3);
});

test('reads nothing for an environment that nobody asked for', () => {
  const { publisher, source } = setUp();
  publisher.afterCommit(['env_1'], []);
  expect(source.state.reads).toBe(0);
});

test('gives the same identity the same tag and the same bytes, in every process', async () => {
  const [one, two] = [setUp(), setUp()];
  two.time.now += 60_000;
  const [left, right] = [await one.publisher.current(server), await two.publisher.current(server)];
  expect(left.etag).toBe(right.etag);
  expect(await left.body('json', 'gzip')).toBe(await left.body('json', 'gzip'));
});

test('follows a version that went back with a new epoch', async () => {
  const { publisher, source, commit } = setUp();
  await publisher.current(server);
  await commit(() => {});
  await commit(() => {
    source.state.epoch = 'e2';
    source.state.version = 0;
  });
  const after = await publisher.current(server);
  expect([after.epoch, after.version]).toEqual(['e2', 1]);
});

test.each([1, 0])('gives a version that is counted again, from %i, another epoch', async (version) => {
  const { publisher, source, commit } = setUp();
  await publisher.current(server);
  await commit(() => (source.state.flag.enabled = 1));
  const before = await publisher.current(server);
  await commit(() => {
    source.state.flag.enabled = 0;
    source.state.version = version;
  });
  const after = await publisher.current(server);
  expect([before.epoch, before.version]).toEqual(['e1', 2]);
  expect([after.epoch, after.version, await enabledIn(publisher)]).toEqual(['e1+', version + 1, false]);
});

test('does not go back within an epoch that cannot be changed now', async () => {
  const { publisher, source, commit, faults } = setUp();
  await publisher.current(server);
  const before = await commit(() => {}).then(() => publisher.current(server));
  source.state.readOnly = true;
  await commit(() => (source.state.version = 0));
  expect(await publisher.current(server)).toBe(before);
  expect(faults).toEqual(['the ruleset was not published']);
  source.state.readOnly = false;
  await publisher.afterCommit(['env_1'], []);
  expect(await publisher.current(server)).toMatchObject({ epoch: 'e1+', version: 1 });
  await publisher.close();
});

test('keeps the same bytes of a version that was read once more', async () => {
  const { publisher, time } = setUp();
  const before = await publisher.current(server);
  time.now += 1;
  await publisher.afterCommit(['env_1'], []);
  expect(await publisher.current(server)).toBe(before);
});

test('keeps the last good version when a change cannot be published, and catches up', async () => {
  vi.useFakeTimers();
  try {
    const { publisher, source, commit, faults } = setUp();
    const before = await publisher.current(server);
    source.state.fault = new Error('disk I/O error');
    await commit(() => (source.state.flag.enabled = 1));
    expect(await publisher.current(server)).toBe(before);
    expect(faults).toEqual(['the ruleset was not published']);
    source.state.fault = undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await enabledIn(publisher)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('does not publish a ruleset beyond the hard limit', async () => {
  const { publisher, source, commit, faults } = setUp({ bytesMax: 1_000 });
  const before = await publisher.current(server);
  await commit(
    () => (source.state.flag.variations_json = JSON.stringify([{ key: 'on', value: 'x'.repeat(1_000) }])),
  );
  expect(await publisher.current(server)).toBe(before);
  expect(faults).toHaveLength(1);
  await publisher.close();
});

test('does not publish a flag that answers by none of its variations, and says so until it is mended', async () => {
  vi.useFakeTimers();
  try {
    const { publisher, source, commit, faults } = setUp();
    const before = await publisher.current(server);
    const sound = source.state.flag.default_variation;
    await commit(() => (source.state.flag.default_variation = 'none'));
    expect(await publisher.current(server)).toBe(before);
    expect([publisher.isFailing(), faults]).toEqual([true, ['the ruleset was not published']]);
    await commit(() => (source.state.flag.default_variation = sound));
    expect((await publisher.current(server)).version).toBe(3);
    expect(publisher.isFailing()).toBe(false);
    await publisher.close();
  } finally {
    vi.useRealTimers();
  }
});

test('says that an environment does not exist, and asks again the next time', async () => {
  const { publisher, source } = setUp();
  const elsewhere = { ...server, environmentId: 'env_2' };
  await expect(publisher.current(elsewhere)).rejects.toMatchObject({ code: 'ENVIRONMENT_NOT_FOUND' });
  await expect(publisher.current(elsewhere)).rejects.toThrow();
  expect(source.state.reads).toBe(2);
});

test('makes the ruleset for clients of the same version', async () => {
  const { publisher } = setUp();
  const seen = (await publisher.current(client)) as PublishedRuleset;
  expect(seen.evaluator.ruleset.flags).toEqual([]);
  expect(seen.version).toBe(1);
  expect(publisher.current(client)).toBe(seen);
});

test('tells subscribers of a version that is already served', async () => {
  const { publisher, commit } = setUp();
  await publisher.current(server);
  const notices: (RulesetNotice & { served: number })[] = [];
  const stop = publisher.subscribe('env_1', (notice) => {
    notices.push({ ...notice, served: (publisher.current(server) as PublishedRuleset).version });
  });
  commit(() => {});
  await publisher.settled();
  expect(notices).toMatchObject([{ environmentId: 'env_1', version: 2, changedFlags: ['a'], served: 2 }]);
  stop();
  commit(() => {});
  await publisher.settled();
  expect(notices).toHaveLength(1);
});

const stored: StoredKey = { ...server, expiresAt: null };

test('looks a key up once by its HMAC', async () => {
  const { publisher, keys } = setUp();
  keys.stored.set(hashApiKey(SECRET, KEY), stored);
  expect(await publisher.authenticate(KEY)).toEqual(server);
  expect(publisher.authenticate(KEY)).toEqual(server);
  expect(await publisher.authenticate(OTHER_KEY)).toBeUndefined();
  expect(publisher.authenticate(OTHER_KEY)).toBeUndefined();
  expect(keys.lookups()).toBe(2);
});

test('asks once for a key that many requests bring at the same time, and tells who is about to ask', async () => {
  const { publisher, keys } = setUp();
  keys.stored.set(hashApiKey(SECRET, KEY), stored);
  let asked = 0;
  const ask = () =>
    publisher.authenticate(KEY, () => {
      asked += 1;
    });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([server, server, server]);
  expect(await ask()).toEqual(server);
  expect([asked, keys.lookups()]).toEqual([1, 1]);
});

test('looks nothing up when the caller forbids it, or the text does not have the form of a key', async () => {
  const { publisher, keys } = setUp();
  keys.stored.set(hashApiKey(SECRET, KEY), stored);
  const forbid = () => {
    throw new Error('not now');
  };
  expect(() => publisher.authenticate(KEY, forbid)).toThrow('not now');
  const swapped = KEY.replace('sdk-dev-', 'sdk-prod-');
  for (const text of ['', 'sdk-dev-1', swapped, `${KEY} `, KEY.slice(1), KEY.repeat(1_000)]) {
    expect(publisher.authenticate(text, forbid)).toBeUndefined();
  }
  expect(publisher.recall(KEY)).toBeUndefined();
  expect(keys.lookups()).toBe(0);
  expect(await publisher.authenticate(KEY)).toEqual(server);
  expect(publisher.recall(KEY)).toEqual(server);
});

test('forgets a revoked key at once, also while it is being looked up', async () => {
  const { publisher, keys } = setUp();
  const hash = hashApiKey(SECRET, KEY);
  keys.stored.set(hash, stored);
  const inFlight = publisher.authenticate(KEY);
  keys.stored.delete(hash);
  publisher.forgetKey('key_1');
  await inFlight;
  expect(await publisher.authenticate(KEY)).toBeUndefined();
});

test('refuses a key from the moment it expires', async () => {
  const { publisher, keys, time } = setUp();
  keys.stored.set(hashApiKey(SECRET, KEY), { ...stored, expiresAt: '2026-11-20T10:00:01.000Z' });
  expect(await publisher.authenticate(KEY)).toEqual(server);
  time.now += 1_000;
  expect(publisher.authenticate(KEY)).toBeUndefined();
});

test('writes the last use at most once a minute', async () => {
  const { publisher, keys, time } = setUp();
  keys.stored.set(hashApiKey(SECRET, KEY), stored);
  await publisher.authenticate(KEY);
  time.now += 59_999;
  await publisher.authenticate(KEY);
  await publisher.close();
  expect(keys.touched).toEqual([{ keyId: 'key_1', lastUsedAt: '2026-11-20T10:00:00.000Z' }]);
  time.now += 1;
  await publisher.authenticate(KEY);
  await publisher.close();
  expect(keys.touched).toHaveLength(2);
});

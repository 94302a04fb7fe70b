import { expect, test, vi } from 'vitest';
import type { KeyGrant, PublishedRuleset, RulesetNotice } from '../data-plane/ports.ts';
import { createServingPath } from '../data-plane/serving-path.ts';
import type { KeySource } from './key-ring.ts';
import type { RulesetReading } from './ports.ts';
import { createPublisher, type Publisher } from './publish.ts';

const SECRET = 's'.repeat(32);
const SERVER: KeyGrant = {
  keyId: 'key_1',
  kind: 'server',
  environmentId: 'env_1',
  projectId: 'prj_1',
  organizationId: 'org_1',
};
const CLIENT: KeyGrant = { ...SERVER, keyId: 'key_2', kind: 'client' };

/** A source in memory. Tests change its state, count its reads and delay them. */
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

const NO_KEYS: KeySource = {
  findByHash: async () => undefined,
  isLive: async () => false,
  touch: async () => {},
};

function setUp(options: { bytesMax?: number } = {}) {
  const source = createSource();
  const faults: string[] = [];
  const time = { now: Date.parse('2026-11-20T10:00:00.000Z') };
  const publisher = createPublisher({
    source,
    keys: NO_KEYS,
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
  return { source, publisher, time, faults, commit };
}

async function enabledIn(publisher: Publisher, grant = SERVER): Promise<boolean | undefined> {
  return (await publisher.current(grant)).evaluator.ruleset.flags[0]?.enabled;
}

test('reads an environment once, and then answers synchronously from memory', async () => {
  const { publisher, source } = setUp();
  const [first, second] = await Promise.all([publisher.current(SERVER), publisher.current(SERVER)]);
  expect(first).toBe(second);
  expect(publisher.current(SERVER)).toBe(first);
  expect(source.state.reads).toBe(1);
  await publisher.close();
  expect(source.state.etags).toEqual([first.etag]);
});

test('serves a change from the moment it is acknowledged, and the previous version until then', async () => {
  const { publisher, source, commit } = setUp();
  const before = (await publisher.current(SERVER)) as PublishedRuleset;
  const release = source.hold();
  const acknowledged = commit(() => (source.state.flag.enabled = 1));
  expect(publisher.current(SERVER)).toBe(before);
  release();
  await acknowledged;
  expect(publisher.current(SERVER)).not.toBeInstanceOf(Promise);
  expect(await enabledIn(publisher)).toBe(true);
  const after = await publisher.current(SERVER);
  expect(after.version).toBe(2);
  expect(after.etag).not.toBe(before.etag);
});

test('does not acknowledge a change while it serves data that was read before the change', async () => {
  const { publisher, source, commit } = setUp();
  await publisher.current(SERVER);
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

test('acknowledges a change before it notifies subscribers, and notifies them again even if one has thrown', async () => {
  const { publisher, faults, commit } = setUp();
  await publisher.current(SERVER);
  const versions: number[] = [];
  publisher.subscribe('env_1', ({ version }) => {
    versions.push(version);
    throw new Error('a broken listener');
  });
  for (const version of [2, 3]) {
    await commit(() => {});
    expect((publisher.current(SERVER) as PublishedRuleset).version).toBe(version);
    expect(versions).not.toContain(version);
    await publisher.settled();
    expect(versions).toContain(version);
  }
  expect(faults).toEqual(Array.from({ length: 2 }, () => 'not all subscribers were notified'));
});

test('records the etag of the last version when it closes right after a change', async () => {
  const { publisher, source, commit } = setUp();
  await publisher.current(SERVER);
  void commit(() => {});
  await publisher.close();
  expect(source.state.etags).toEqual([expect.stringMatching(/^W\/"2-/)]);
});

test('publishes many changes together', async () => {
  const { publisher, source, commit } = setUp();
  await publisher.current(SERVER);
  for (let count = 0; count < 50; count++) commit(() => {});
  await publisher.settled();
  expect((await publisher.current(SERVER)).version).toBe(51);
  expect(source.state.reads).toBeLessThanOrEqual(3);
});

test('reads nothing for an environment that was never requested', () => {
  const { publisher, source } = setUp();
  publisher.afterCommit(['env_1'], []);
  expect(source.state.reads).toBe(0);
});

test('gives the same ruleset the same etag in every process, and compresses it once', async () => {
  const [one, two] = [setUp(), setUp()];
  two.time.now += 60_000;
  const [left, right] = [await one.publisher.current(SERVER), await two.publisher.current(SERVER)];
  expect(left.etag).toBe(right.etag);
  expect(await left.body('json', 'gzip')).toBe(await left.body('json', 'gzip'));
});

test('serves a lower version that has a new epoch', async () => {
  const { publisher, source, commit } = setUp();
  await publisher.current(SERVER);
  await commit(() => {});
  await commit(() => {
    source.state.epoch = 'e2';
    source.state.version = 0;
  });
  const after = await publisher.current(SERVER);
  expect([after.epoch, after.version]).toEqual(['e2', 1]);
});

test.each([1, 0])('starts a new epoch when the version falls back to %i within an epoch', async (version) => {
  const { publisher, source, commit } = setUp();
  await publisher.current(SERVER);
  await commit(() => (source.state.flag.enabled = 1));
  const before = await publisher.current(SERVER);
  await commit(() => {
    source.state.flag.enabled = 0;
    source.state.version = version;
  });
  const after = await publisher.current(SERVER);
  expect([before.epoch, before.version]).toEqual(['e1', 2]);
  expect([after.epoch, after.version, await enabledIn(publisher)]).toEqual(['e1+', version + 1, false]);
});

test('keeps the served version while a new epoch cannot be written', async () => {
  const { publisher, source, commit, faults } = setUp();
  await publisher.current(SERVER);
  const before = await commit(() => {}).then(() => publisher.current(SERVER));
  source.state.readOnly = true;
  await commit(() => (source.state.version = 0));
  expect(await publisher.current(SERVER)).toBe(before);
  expect(faults).toEqual(['the ruleset was not published']);
  source.state.readOnly = false;
  await publisher.afterCommit(['env_1'], []);
  expect(await publisher.current(SERVER)).toMatchObject({ epoch: 'e1+', version: 1 });
  await publisher.close();
});

test('keeps the same object for a version that is read again', async () => {
  const { publisher, time } = setUp();
  const before = await publisher.current(SERVER);
  time.now += 1;
  await publisher.afterCommit(['env_1'], []);
  expect(await publisher.current(SERVER)).toBe(before);
});

test('serves the last good version while a change cannot be published, and then catches up', async () => {
  vi.useFakeTimers();
  try {
    const { publisher, source, commit, faults } = setUp();
    const before = await publisher.current(SERVER);
    source.state.fault = new Error('disk I/O error');
    await commit(() => (source.state.flag.enabled = 1));
    expect(await publisher.current(SERVER)).toBe(before);
    expect(faults).toEqual(['the ruleset was not published']);
    source.state.fault = undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await enabledIn(publisher)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('does not publish a ruleset above the hard limit', async () => {
  const { publisher, source, commit, faults } = setUp({ bytesMax: 1_000 });
  const before = await publisher.current(SERVER);
  await commit(
    () => (source.state.flag.variations_json = JSON.stringify([{ key: 'on', value: 'x'.repeat(1_000) }])),
  );
  expect(await publisher.current(SERVER)).toBe(before);
  expect(faults).toHaveLength(1);
  await publisher.close();
});

test('does not publish a flag that serves none of its variations, and reports failure until it is fixed', async () => {
  vi.useFakeTimers();
  try {
    const { publisher, source, commit, faults } = setUp();
    const before = await publisher.current(SERVER);
    const sound = source.state.flag.default_variation;
    await commit(() => (source.state.flag.default_variation = 'none'));
    expect(await publisher.current(SERVER)).toBe(before);
    expect([publisher.isFailing(), faults]).toEqual([true, ['the ruleset was not published']]);
    await commit(() => (source.state.flag.default_variation = sound));
    expect((await publisher.current(SERVER)).version).toBe(3);
    expect(publisher.isFailing()).toBe(false);
    await publisher.close();
  } finally {
    vi.useRealTimers();
  }
});

test('rejects for an unknown environment, and reads again the next time', async () => {
  const { publisher, source } = setUp();
  const elsewhere = { ...SERVER, environmentId: 'env_2' };
  await expect(publisher.current(elsewhere)).rejects.toMatchObject({ code: 'ENVIRONMENT_NOT_FOUND' });
  await expect(publisher.current(elsewhere)).rejects.toThrow();
  expect(source.state.reads).toBe(2);
});

test('serves client keys the ruleset for clients, with the same version', async () => {
  const { publisher } = setUp();
  const seen = (await publisher.current(CLIENT)) as PublishedRuleset;
  expect(seen.evaluator.ruleset.flags).toEqual([]);
  expect(seen.version).toBe(1);
  expect(publisher.current(CLIENT)).toBe(seen);
});

test('notifies subscribers of a version once it is served', async () => {
  const { publisher, commit } = setUp();
  await publisher.current(SERVER);
  const notices: (RulesetNotice & { served: number })[] = [];
  const stop = publisher.subscribe('env_1', (notice) => {
    notices.push({ ...notice, served: (publisher.current(SERVER) as PublishedRuleset).version });
  });
  commit(() => {});
  await publisher.settled();
  expect(notices).toMatchObject([{ environmentId: 'env_1', version: 2, changedFlags: ['a'], served: 2 }]);
  stop();
  commit(() => {});
  await publisher.settled();
  expect(notices).toHaveLength(1);
});

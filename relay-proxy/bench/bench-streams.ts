import { fork } from 'node:child_process';
import { on } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CrowdReply, type CrowdRequest, now } from '../../reference-server/bench/stream-crowd.ts';
import { type BenchReport, percentile } from './bench-report.ts';
import { startBenchUpstream } from './bench-upstream.ts';
import { startRelayTarget } from './relay-target.ts';

const CROWD = fileURLToPath(new URL('../../reference-server/bench/stream-crowd.ts', import.meta.url));
const FLAGS = 10;
const FIRST_SHARE = 5;
const IDLE_MS = 5_000;
/** A relay fetches ten changes in succession at once, and then one in 1.5 s. */
const PAUSE_MS = 1_600;
const POLL_MS = 2;
const GOALS = { idleMB: 90, fromRelayMs: 200, fromToggleMs: 450, streamKiB: 15 };

/** Measures how fast a change reaches the last of many streams of a relay, and what a stream costs. */
export async function benchStreams(
  { figure }: BenchReport,
  {
    streams,
    toggles,
    folder,
  }: { readonly streams: number; readonly toggles: number; readonly folder: string },
): Promise<void> {
  const { url, server, relayKey, toggle } = await startBenchUpstream(FLAGS);
  const target = { upstreamUrl: url, relayKey, apiKey: server.apiKey, folder };
  const relay = await startRelayTarget({ ...target, canCollect: true });
  await wait(IDLE_MS);
  const memory = async (): Promise<number> => (await relay.usage()).rssBytes;
  figure(`idle memory with ${FLAGS} flags`, (await memory()) / 1e6, { unit: 'MB', goal: GOALS.idleMB });
  // The first streams also enlarge V8's young generation, once.
  const first = Math.floor(streams / FIRST_SHARE);
  const { port, apiKey } = relay;
  const crowds = [await openCrowd({ port, apiKey, streams: first })];
  await relay.collect();
  const before = await memory();
  crowds.push(await openCrowd({ port, apiKey, streams: streams - first }));
  const crowdedMB = (await memory()) / 1e6;
  await relay.collect();
  const streamKiB = ((await memory()) - before) / (streams - first) / 1024;
  await wait(PAUSE_MS);

  const toggleMs: number[] = [];
  const fromToggle: number[] = [];
  const fromRelay: number[] = [];
  for (let round = 0; round <= toggles; round++) {
    const arrivals = Promise.all(crowds.map((crowd) => crowd.next()));
    const news = watchRuleset(relay.port, relay.apiKey);
    const sentAt = now();
    await toggle.switch();
    const acknowledgedAt = now();
    const at = (await arrivals).flat();
    const heldAt = await news;
    await wait(PAUSE_MS);
    // The first round only warms up.
    if (round === 0) continue;
    toggleMs.push(acknowledgedAt - sentAt);
    fromToggle.push(...at.map((time) => time - acknowledgedAt));
    fromRelay.push(...at.map((time) => time - heldAt));
  }
  relay.stop();
  server.stop();
  const p99 = (name: string, times: readonly number[], goal: number): void =>
    figure(name, percentile(times, 0.99), { unit: 'ms', goal });
  p99(
    `${streams} streams: from the relay's having a change to the last byte, p99`,
    fromRelay,
    GOALS.fromRelayMs,
  );
  p99(
    `${streams} streams: from the acknowledged toggle to the last byte, p99`,
    fromToggle,
    GOALS.fromToggleMs,
  );
  figure('  the same, median', percentile(fromToggle, 0.5), { unit: 'ms' });
  figure('from sending a toggle to its acknowledgement, slowest', percentile(toggleMs, 1), { unit: 'ms' });
  figure(`memory right after ${streams} streams were opened`, crowdedMB, { unit: 'MB' });
  figure('memory of each further stream, without garbage', streamKiB, {
    unit: 'KiB',
    goal: GOALS.streamKiB,
    digits: 1,
  });
}

async function openCrowd(wanted: CrowdRequest): Promise<{ next(): Promise<readonly number[]> }> {
  const child = fork(CROWD, ['crowd'], { execArgv: ['--conditions=@flagsvc/source'] });
  process.on('exit', () => child.kill());
  const replies = on(child, 'message') as AsyncIterator<[CrowdReply]>;
  child.send(wanted);
  await replies.next();
  return {
    async next() {
      const { value } = await replies.next();
      const [reply] = value as [CrowdReply];
      return reply.kind === 'arrived' ? reply.at : [];
    },
  };
}

/** Polls the relay until it has another ruleset than now. Resolves to the time at which that was first seen. */
async function watchRuleset(port: number, apiKey: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const tagNow = (): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ port, agent, path: '/api/v1/sdk/ruleset', headers: { 'x-api-key': apiKey } }, (response) => {
        response.resume().on('end', () => resolve(String(response.headers['etag'])));
      })
        .on('error', reject)
        .end();
    });
  const first = await tagNow();
  while ((await tagNow()) === first) await wait(POLL_MS);
  const at = now();
  agent.destroy();
  return at;
}

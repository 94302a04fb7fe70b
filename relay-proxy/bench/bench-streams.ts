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
const IDLE_MS = 5_000;
const PAUSE_MS = 300;
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
  const relay = await startRelayTarget({ upstreamUrl: url, relayKey, apiKey: server.apiKey, folder });
  await wait(IDLE_MS);
  const before = (await relay.usage()).rssBytes;
  figure(`idle memory with ${FLAGS} flags`, before / 1e6, { unit: 'MB', goal: GOALS.idleMB });
  const crowd = await openCrowd({ port: relay.port, apiKey: relay.apiKey, streams });
  const streamKiB = ((await relay.usage()).rssBytes - before) / streams / 1024;
  await wait(PAUSE_MS);

  const fromToggle: number[] = [];
  const fromRelay: number[] = [];
  for (let round = 0; round <= toggles; round++) {
    const arrivals = crowd.next();
    const news = watchRuleset(relay.port, relay.apiKey);
    const sentAt = now();
    await toggle.switch();
    const at = await arrivals;
    const heldAt = await news;
    await wait(PAUSE_MS);
    // The first round only warms up.
    if (round === 0) continue;
    fromToggle.push(...at.map((time) => time - sentAt));
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
  p99(`${streams} streams: from sending a toggle to the last byte, p99`, fromToggle, GOALS.fromToggleMs);
  figure('memory of a stream', streamKiB, { unit: 'KiB', goal: GOALS.streamKiB, digits: 1 });
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

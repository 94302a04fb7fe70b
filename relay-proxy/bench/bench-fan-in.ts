import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { startFaultyProxy } from '../test/faulty-proxy.ts';
import type { BenchReport } from './bench-report.ts';
import { startBenchUpstream } from './bench-upstream.ts';
import { startRelayTarget } from './relay-target.ts';

const MINUTE_MS = 60_000;
const CLIENTS = 200;
const TOGGLES = 20;
/** Requests a minute that a relay may send for one environment and view, and for all known keys. */
const GOALS = { rulesets: 4, keys: 3 };

/** Counts the requests that reach the server in a minute in which 200 clients poll and send events. */
export async function benchFanIn(report: BenchReport, folder: string): Promise<void> {
  const { url, server, relayKey, toggle } = await startBenchUpstream(10);
  const proxy = await startFaultyProxy(url);
  const relay = await startRelayTarget({ upstreamUrl: proxy.url, relayKey, apiKey: server.apiKey, folder });
  const seen = { rulesets: 0, keys: 0, events: 0 };
  proxy.set((answer) => {
    if (answer.path.includes('/sdk/ruleset')) seen.rulesets += 1;
    else if (answer.path.includes('/relay/keys')) seen.keys += 1;
    else if (answer.path.includes('/sdk/events')) seen.events += 1;
    return answer;
  });
  const base = `http://127.0.0.1:${relay.port}/api/v1`;
  const headers = { 'x-api-key': server.apiKey, 'content-type': 'application/json' };
  const end = performance.now() + MINUTE_MS;
  let asked = 0;
  const client = async (): Promise<void> => {
    await wait(Math.random() * 10_000);
    while (performance.now() < end) {
      const at = new Date().toISOString();
      const counter = { flag_key: 'flag', variation_key: 'on', reason: 'DEFAULT', rule_id: null, count: 7 };
      const events = [
        { type: 'summary', start: at, end: at, counters: [{ ...counter, ruleset_version: 1 }] },
      ];
      await (await fetch(`${base}/sdk/ruleset`, { headers })).arrayBuffer();
      const body = JSON.stringify({ batch_id: randomUUID(), events });
      await (await fetch(`${base}/sdk/events`, { method: 'POST', headers, body })).arrayBuffer();
      asked += 2;
      await wait(10_000);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  report.figure(`${CLIENTS} clients: their requests in a minute`, asked, { unit: '' });
  report.figure('  of these, requests of the relay for rulesets', seen.rulesets, {
    unit: '',
    goal: GOALS.rulesets,
  });
  report.figure('  about keys', seen.keys, { unit: '', goal: GOALS.keys });
  report.figure('  with events', seen.events, { unit: '' });
  seen.rulesets = 0;
  for (let count = 0; count < TOGGLES; count++) await toggle.switch();
  await wait(5_000);
  report.figure(`  for rulesets, after ${TOGGLES} toggles at once`, seen.rulesets, {
    unit: '',
    goal: TOGGLES,
  });
  await relay.end();
  await proxy.close();
  server.stop();
}

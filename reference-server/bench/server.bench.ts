/**
 * What the data plane costs beside the bare framework. Two servers, both pinned to one core, are asked in turns by
 * a generator on another core: the reference server, and a plain Fastify app that sends constants of the same size.
 * Absolute figures do not hold from machine to machine; the ratios do: of how many requests a second of processor time
 * answers, so that it is nobody's fault when others take the core; the median over many short spans of the one and
 * the other. Exits with 1 when a goal is missed.
 *
 *     node --conditions=@flagsvc/source reference-server/bench/server.bench.ts [--milliseconds 200] [--rounds 50]
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { BANNER, UNBUNDLED } from '../tsup.config.ts';
import { type Load, openLoad } from './load.ts';
import type { BenchReply, BenchRequest } from './server-process.ts';

const AUTOGROUP = '/proc/self/autogroup';
const SERVER_CORE = '0';
const GENERATOR_CORE = '1';
const CONNECTIONS = 32;
const RSS_GOAL_MIB = 150;
const WARM_UP_MS = 500;
const WARM_UP_REQUESTS = 10_000;
/** So many times as many rounds as wanted are tried. */
const ROUNDS_FACTOR = 3;

const { values: options } = parseArgs({
  options: { milliseconds: { type: 'string', default: '200' }, rounds: { type: 'string', default: '50' } },
});

interface Server {
  readonly port: number;
  readonly apiKey: string;
  usage(): Promise<{ cpuMicros: number; rssBytes: number }>;
  stop(): void;
}

interface Measure {
  readonly perSecond: number;
  /** Processor time of the server for one request. */
  readonly micros: number;
  readonly generatorLoad: number;
  /** 503: where others have the core, the server may fall behind (decisions/0036). */
  readonly refused: number;
}

interface Round {
  readonly bare: Measure;
  readonly ours: Measure;
}

interface Case {
  readonly name: string;
  readonly goal: number;
  readonly status: number;
  readonly ours: readonly Buffer[];
  readonly bare: readonly Buffer[];
}

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined;
if (canPin) spawnSync('taskset', ['-a', '-p', '-c', GENERATOR_CORE, String(process.pid)]);
else process.stdout.write('taskset or a second core is missing: the figures are not comparable.\n');

takePrecedence();

/** What runs is bundled JavaScript, as it is shipped: to strip types at the start would cost the process 50 MB. */
const bundle = fileURLToPath(new URL('../dist/bench/server-process.js', import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL('./server-process.ts', import.meta.url))],
  outdir: fileURLToPath(new URL('../dist/bench', import.meta.url)),
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  conditions: ['@flagsvc/source'],
  external: UNBUNDLED,
  banner: { js: BANNER },
});
await main();

async function main(): Promise<void> {
  const ours = await startServer('flagsvc', { kind: 'start' });
  const cases = await describeCases(ours);
  const bare = await startServer('bare', { kind: 'start', constants: cases.constants });
  let isMissed = false;
  print('case', 'bare/s', 'flagsvc/s', 'ratio', 'goal', 'µs cpu', 'bare', 'generator');
  for (const one of cases.list) {
    const rounds = await measureInTurns(one, bare, ours);
    const middle = (pick: (pair: Round) => number): number => median(rounds.map(pick));
    const ratio = middle((pair) => pair.bare.micros / pair.ours.micros);
    isMissed ||= ratio < one.goal;
    print(
      one.name,
      middle((pair) => pair.bare.perSecond).toFixed(0),
      middle((pair) => pair.ours.perSecond).toFixed(0),
      ratio.toFixed(2),
      `>= ${one.goal}${ratio < one.goal ? ' MISSED' : ''}`,
      middle((pair) => pair.ours.micros).toFixed(1),
      middle((pair) => pair.bare.micros).toFixed(1),
      middle((pair) => Math.max(pair.ours.generatorLoad, pair.bare.generatorLoad)).toFixed(2),
    );
  }
  const rss = (await ours.usage()).rssBytes / 2 ** 20;
  isMissed ||= rss > RSS_GOAL_MIB;
  process.stdout.write(
    `resident memory after the run ${rss.toFixed(0)} MiB (goal <= ${RSS_GOAL_MIB}${rss > RSS_GOAL_MIB ? ', MISSED' : ''})\n`,
  );
  ours.stop();
  bare.stop();
  process.exitCode = isMissed ? 1 : 0;
}

/** The requests of every case, and the constants that the bare server shall send: answers of the real one. */
async function describeCases(ours: Server) {
  const base = `http://127.0.0.1:${ours.port}/api/v1`;
  const headers = { 'x-api-key': ours.apiKey };
  const fetched = await fetch(`${base}/sdk/ruleset`, {
    headers: { ...headers, 'accept-encoding': 'identity' },
  });
  const etag = `if-none-match: ${fetched.headers.get('etag')}`;
  const ruleset = await fetched.text();
  const flags = (JSON.parse(ruleset) as { data: { flags: { key: string }[] } }).data.flags;

  const one = contexts().map((context, index) => JSON.stringify({ flags: [flags[index * 7]!.key], context }));
  const all = contexts().map((context) => JSON.stringify({ flags: ['*'], context }));
  const ask = async (body: string): Promise<string> => {
    const answer = await fetch(`${base}/evaluate`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    return answer.text();
  };
  const constants = { ruleset, one: await ask(one[0]!), all: await ask(all[0]!) };

  const get = (path: string, extra?: string): Buffer[] => [request('GET', path, ours.apiKey, extra)];
  const post = (path: string, bodies: readonly string[]): Buffer[] =>
    bodies.map((body) => request('POST', path, ours.apiKey, undefined, body));
  const list: Case[] = [
    {
      name: `GET /sdk/ruleset, 304`,
      goal: 0.7,
      status: 304,
      ours: get('/api/v1/sdk/ruleset', etag),
      bare: get('/not-modified', etag),
    },
    {
      name: `GET /sdk/ruleset, ${flags.length} flags, ${(ruleset.length / 1000).toFixed(0)} kB`,
      goal: 0.8,
      status: 200,
      ours: get('/api/v1/sdk/ruleset'),
      bare: get('/ruleset'),
    },
    {
      name: 'POST /evaluate, one flag',
      goal: 0.6,
      status: 200,
      ours: post('/api/v1/evaluate', one),
      bare: post('/one', one),
    },
    {
      name: `POST /evaluate, all flags, ${(constants.all.length / 1000).toFixed(0)} kB`,
      goal: 0.3,
      status: 200,
      ours: post('/api/v1/evaluate', all),
      bare: post('/all', all),
    },
  ];
  return { list, constants };
}

/** A hundred users who differ in everything that the flags ask for. */
function contexts() {
  return Array.from({ length: 100 }, (_, index) => ({
    user_key: `user-${10_000 + index * 37}`,
    attributes: {
      plan: ['free', 'pro', 'team'][index % 3],
      country: ['DE', 'FR', 'US', 'JP'][index % 4],
      app_version: `2.${index % 9}.${index % 5}`,
      role: index % 10 === 0 ? 'staff' : 'member',
    },
  }));
}

function request(method: string, path: string, apiKey: string, extra?: string, body?: string): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `x-api-key: ${apiKey}`,
    'accept: application/json',
  ];
  if (extra !== undefined) lines.push(extra);
  if (body !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** What else runs takes the cores less often, and leaves more of their caches. Servers inherit it. */
function takePrecedence(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
    // Where Linux shares the cores between sessions, priorities count within one of them only.
    if (!existsSync(AUTOGROUP)) return;
    writeFileSync(AUTOGROUP, String(constants.priority.PRIORITY_HIGH));
    process.on('exit', () => writeFileSync(AUTOGROUP, '0'));
  } catch {
    process.stdout.write('No right to a higher priority: where others use the cores, ratios are lower.\n');
  }
}

/** Rounds in which nothing was refused: refusing is cheap, and would look like a fast answer. */
async function measureInTurns(one: Case, bare: Server, ours: Server): Promise<Round[]> {
  const open = ({ port }: Server, requests: readonly Buffer[]): Promise<Load> =>
    openLoad({ port, requests, expectedStatus: one.status, connections: CONNECTIONS });
  const loads = { bare: await open(bare, one.bare), ours: await open(ours, one.ours) };
  await warmUp(loads.bare);
  await warmUp(loads.ours);
  const wanted = Number(options.rounds);
  const rounds: Round[] = [];
  for (let tried = 0; rounds.length < wanted && tried < wanted * ROUNDS_FACTOR; tried++) {
    const round = {
      bare: await measure(bare, loads.bare, one.name),
      ours: await measure(ours, loads.ours, one.name),
    };
    if (round.ours.refused === 0) rounds.push(round);
  }
  loads.bare.close();
  loads.ours.close();
  if (rounds.length < wanted) throw new Error(`${one.name}: the server refused requests again and again.`);
  return rounds;
}

/** Until the machine's code is made: by requests, since time says little where others have the core. */
async function warmUp(load: Load): Promise<void> {
  for (let answered = 0; answered < WARM_UP_REQUESTS; ) answered += (await load.run(WARM_UP_MS)).answered;
}

async function measure(server: Server, load: Load, name: string): Promise<Measure> {
  const before = await server.usage();
  const { answered, seconds, generatorLoad, unexpected } = await load.run(Number(options.milliseconds));
  const after = await server.usage();
  const { 503: refused = 0, ...wrong } = unexpected;
  if (Object.keys(wrong).length > 0) throw new Error(`${name}: unexpected answers: ${JSON.stringify(wrong)}`);
  return {
    perSecond: answered / seconds,
    micros: (after.cpuMicros - before.cpuMicros) / answered,
    generatorLoad,
    refused,
  };
}

async function startServer(kind: 'flagsvc' | 'bare', start: BenchRequest): Promise<Server> {
  const command = [process.execPath, bundle, kind];
  const [file, ...args] = canPin ? ['taskset', '-c', SERVER_CORE, ...command] : command;
  const child: ChildProcess = spawn(file!, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.on('exit', (code) => {
    if (code !== null) throw new Error(`The ${kind} server ended with ${code}.`);
  });
  const ask = async (message: BenchRequest): Promise<BenchReply> => {
    const answer = once(child, 'message');
    child.send(message);
    return ((await answer) as [BenchReply])[0];
  };
  const started = await ask(start);
  if (started.kind !== 'started') throw new Error(`The ${kind} server did not start.`);
  return {
    port: started.port,
    apiKey: started.apiKey,
    async usage() {
      const reply = await ask({ kind: 'usage' });
      if (reply.kind !== 'usage') throw new Error('Not a usage.');
      return reply;
    },
    stop: () => void child.kill(),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function print(name: string, ...cells: readonly string[]): void {
  process.stdout.write(`${name.padEnd(42)}${cells.map((cell) => cell.padStart(12)).join('')}\n`);
}

// Measures `npm start` on fresh clones: the time until the address answers and until an SDK has evaluated, and the
// processor time of all processes until then. Rounds alternate between the commits, because the machine may be shared.
//
//   node scripts/start/measure.mjs [--rounds 3] [--warm] <commit before> [<commit after>]
//
// Each start has an empty npm cache, as on a fresh machine; with --warm, all rounds share one. Linux only.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LIMIT_S = 600;
const CLOCK_TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const EVALUATED = /dark-mode is true for ada/;

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, warm: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [before, after = 'HEAD'] = positionals;
if (before === undefined) {
  console.error(
    'Name the commit to compare with: node scripts/start/measure.mjs <commit before> [<commit after>]',
  );
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-measure-'));
try {
  report(await measureAll());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

async function measureAll() {
  const runs = { [before]: [], [after]: [] };
  if (values.warm) for (const commit of [before, after]) await measure(commit);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const commit of round % 2 ? [after, before] : [before, after]) {
      const run = await measure(commit);
      runs[commit].push(run);
      console.log(`${commit.padEnd(12)} ${describe(run)}`);
    }
  return runs;
}

function report(runs) {
  const [old, now] = [before, after].map((commit) => medians(runs[commit]));
  const ratio = (name) => `${name} ${(now[name] / old[name]).toFixed(2)}`;
  console.log(`\nMedians of ${values.rounds} rounds, ${values.warm ? 'warm' : 'empty'} npm cache:`);
  console.log(`${before.padEnd(12)} ${describe(old)}`);
  console.log(`${after.padEnd(12)} ${describe(now)}`);
  console.log(`ratio        ${Object.keys(now).map(ratio).join(', ')}`);
}

/** Runs `npm start` in a fresh clone of the commit until an SDK has evaluated, and stops it. */
async function measure(commit) {
  const folder = clone(commit);
  const port = await freePort();
  const cache = join(values.warm ? scratch : folder, '.npm-cache');
  const env = { ...process.env, FLAGSVC_PORT: `${port}`, npm_config_cache: cache };
  const child = spawn('npm', ['start'], { cwd: folder, env, detached: true });
  try {
    const times = await untilEvaluated(child, port);
    const processor = processorSeconds(child.pid);
    return { ...times, processor, installed: megabytes(join(folder, 'node_modules')) };
  } finally {
    await stop(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function clone(commit) {
  const folder = mkdtempSync(join(scratch, 'clone-'));
  const id = execFileSync('git', ['rev-parse', commit], { cwd: root, encoding: 'utf8' }).trim();
  execFileSync('git', ['clone', '--quiet', '--no-checkout', root, folder]);
  execFileSync('git', ['checkout', '--quiet', id], { cwd: folder });
  return folder;
}

/** Seconds until the address answers, and until an SDK has evaluated. */
async function untilEvaluated(child, port) {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  let answers;
  while (!EVALUATED.test(output)) {
    if (child.exitCode !== null || seconds() > LIMIT_S) throw new Error(`npm start failed:\n${output}`);
    if (answers === undefined && (await doesAnswer(port))) answers = seconds();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { answers, evaluated: seconds() };
}

function doesAnswer(port) {
  return fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Processor time of all processes of the session, with those that have ended. */
function processorSeconds(session) {
  // Fields 14 to 17 of proc(5): user and system time, of the process and of its ended children.
  const ticks = processesOf(session).flatMap((fields) => fields.slice(11, 15));
  return ticks.reduce((sum, text) => sum + Number(text), 0) / CLOCK_TICKS;
}

/** The running processes of a session, each as the fields of proc(5) from the third on. */
function processesOf(session) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(statOf).filter((fields) => fields?.[3] === `${session}` && fields[0] !== 'Z');
}

/** The fields after the command's name, which may contain spaces; undefined when the process has ended. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

async function stop({ pid }) {
  if (processesOf(pid).length > 0) process.kill(-pid, 'SIGTERM');
  while (processesOf(pid).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

function megabytes(folder) {
  const kilobytes = execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0];
  return Number(kilobytes) / 1024;
}

function medians(list) {
  const middle = (name) => list.map((run) => run[name]).sort((a, b) => a - b)[Math.floor(list.length / 2)];
  return Object.fromEntries(Object.keys(list[0]).map((name) => [name, middle(name)]));
}

function describe({ answers, evaluated, processor, installed }) {
  const text = (value) => `${value.toFixed(1).padStart(6)} s`;
  return `answers ${text(answers)}, evaluated ${text(evaluated)}, processor ${text(processor)}, installed ${installed.toFixed(0)} MB`;
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

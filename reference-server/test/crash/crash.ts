import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, type Installation, install, NoAnswer } from '../installation.ts';
import { type Program, startServer } from '../server-process.ts';
import { inspect } from './inspect.ts';
import { createWriter, keepWriting, type Writer } from './writer.ts';

/** How often the server is killed, and under how much load. */
export interface CrashPlan {
  /** An empty folder for the database. */
  readonly folder: string;
  readonly kills: number;
  readonly writers: number;
  /** The longest time under load before a kill. The kill waits longer if the server has done too little by then. */
  readonly lifeMs: number;
  /** Returns 0 to below 1: the share of `lifeMs` that passes before a kill. */
  readonly random: () => number;
  /** Default: the sources, which start more slowly than the build. */
  readonly program?: Program;
  /** Called after each kill. */
  readonly onKill?: (report: CrashReport) => void;
}

/** The result so far. */
export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Writes that were in flight at a kill, by outcome. */
  readonly unknown: { readonly applied: number; readonly lost: number };
  /** Number of versions that the reader has fetched. */
  readonly versionsSeen: number;
  /** How long each process took to listen, in ascending order. All but the first start after a kill. */
  readonly startsMs: readonly number[];
  /** One sentence per fault; empty if the server passed. */
  readonly faults: readonly string[];
}

const LIFE_MIN_MS = 50;
const READ_PAUSE_MS = 5;
/** The longest time for which a kill waits for new versions and writes. */
const FIRST_WORK_MS = 10_000;

/**
 * Kills a server with SIGKILL repeatedly under concurrent writers. After each kill, compares its database with the
 * writes that it acknowledged. A reader records the etag of every version, because a version must never have two etags.
 */
export async function crash(plan: CrashPlan): Promise<CrashReport> {
  const file = join(plan.folder, 'flags.db');
  const faults: string[] = [];
  const etags = new Map<number, string>();
  const unknown = { applied: 0, lost: 0 };
  const startsMs: number[] = [];
  let installation: Installation | undefined;
  let writers: Writer[] = [];
  let report: CrashReport | undefined;

  for (let kills = 1; kills <= plan.kills; kills++) {
    const started = performance.now();
    const server = startServer(
      { FLAGSVC_DATABASE_URL: `sqlite:${file}`, FLAGSVC_LOG_LEVEL: 'info' },
      { program: plan.program ?? 'sources' },
    );
    const url = await server.url;
    startsMs.push(performance.now() - started);
    if (installation === undefined) {
      installation = await install(url, plan.writers);
      writers = installation.flagIds.map(createWriter);
    }
    const { environmentId } = installation;
    const work = [
      ...writers.map((writer) => keepWriting(connect(url, installation!).admin, writer, faults)),
      keepReading(url, installation, etags, faults),
    ];
    await wait(LIFE_MIN_MS + plan.random() * (plan.lifeMs - LIFE_MIN_MS));
    // Even on a slow machine, the kill must hit a busy server: the reader has fetched a new version for each kill, and
    // the server has acknowledged a write of each writer.
    const isAtWork = () => etags.size >= kills && writers.every((writer) => writer.acknowledged >= kills);
    const giveUpAt = performance.now() + FIRST_WORK_MS;
    while (!isAtWork() && performance.now() < giveUpAt) await wait(READ_PAUSE_MS);
    server.child.kill('SIGKILL');
    await server.exit;
    await Promise.all(work);

    faults.push(...inspect(file, environmentId, writers, unknown));
    const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
    report = {
      kills,
      acknowledged,
      unknown: { ...unknown },
      versionsSeen: etags.size,
      startsMs: [...startsMs].sort((left, right) => left - right),
      faults,
    };
    plan.onKill?.(report);
  }
  return report!;
}

/** Fetches the ruleset until the server is killed. */
async function keepReading(
  url: string,
  installation: Installation,
  etags: Map<number, string>,
  faults: string[],
): Promise<void> {
  const { sdk } = connect(url, installation);
  try {
    for (;;) {
      const { status, headers, body } = await sdk.ruleset().answer;
      if (status === 200) {
        const { version } = body.data;
        const etag = headers.etag!;
        const known = etags.get(version);
        if (known !== undefined && known !== etag) {
          faults.push(`version ${version} was served with the etags ${known} and ${etag}`);
        }
        etags.set(version, etag);
      } else if (status !== 429 && status !== 503) {
        faults.push(`a read was answered with ${status}`);
      }
      await wait(READ_PAUSE_MS);
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  }
}

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Program, startServer } from '../server-process.ts';
import { call, type Installation, install, NoAnswer } from './client.ts';
import { inspect } from './inspect.ts';
import { createWriter, keepWriting, type Writer } from './writer.ts';

/** How hard the server is treated. */
export interface CrashPlan {
  /** An empty folder for the database. */
  readonly folder: string;
  readonly kills: number;
  readonly writers: number;
  /** How long the server lives under load, at most. */
  readonly lifeMs: number;
  /** From 0 to 1; decides how much of that it gets. */
  readonly random: () => number;
  /** Default the sources, which take longer to start. */
  readonly program?: Program;
  /** Hears of each life that is over. */
  readonly onKill?: (report: CrashReport) => void;
}

/** What came out. */
export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Writes that were in flight at a kill, by what became of them. */
  readonly unknown: { readonly applied: number; readonly lost: number };
  /** Versions whose entity tag a reader has seen. */
  readonly versionsSeen: number;
  /** From the start of each process, after a kill but for the first, until it listens; in order. */
  readonly startsMs: readonly number[];
  /** A sentence for everything that is wrong; there must be none. */
  readonly faults: readonly string[];
}

const LIFE_MIN_MS = 50;
const READ_PAUSE_MS = 5;

/**
 * Kills a server with SIGKILL again and again under concurrent writers, opens its database each time, and compares
 * it with what the server had acknowledged. A reader notes the entity tag of every version that it is shown: one
 * version must never have two.
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
      ...writers.map((writer) => keepWriting(url, installation!, writer, faults)),
      keepReading(url, installation, etags, faults),
    ];
    await wait(LIFE_MIN_MS + plan.random() * (plan.lifeMs - LIFE_MIN_MS));
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

/** Fetches the ruleset until the server is gone. */
async function keepReading(
  url: string,
  { apiKey }: Installation,
  etags: Map<number, string>,
  faults: string[],
): Promise<void> {
  try {
    for (;;) {
      const { status, etag, data } = await call(url, 'GET', '/sdk/ruleset', { 'x-api-key': apiKey });
      if (status === 200) {
        const known = etags.get(data.version);
        if (known !== undefined && known !== etag) {
          faults.push(`version ${data.version} was seen with ${known} and with ${etag}`);
        }
        etags.set(data.version, etag!);
      } else if (status !== 429 && status !== 503) {
        faults.push(`a read was answered with ${status}`);
      }
      await wait(READ_PAUSE_MS);
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  }
}

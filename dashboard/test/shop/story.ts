import { tellAccess } from './tell-access.ts';
import { tellArchive } from './tell-archive.ts';
import { tellCode } from './tell-code.ts';
import { tellEvaluations } from './tell-evaluations.ts';
import { tellFlags } from './tell-flags.ts';
import { tellFreezes } from './tell-freezes.ts';
import { tellHistory } from './tell-history.ts';
import { tellLongNames } from './tell-long-names.ts';
import { tellSegments } from './tell-segments.ts';
import { tellWebhooks } from './tell-webhooks.ts';
import { createWorld, DAY_MS, HOUR_MS } from './world.ts';

/** Something that happened in the shop, so many milliseconds before now. */
export interface Event {
  readonly agoMs: number;
  readonly run: () => Promise<void>;
}

const BEGIN_MS = 735 * DAY_MS;
const NIGHTS = 31;

/** Fills an empty database with Northwind Market: two years of changes, written through the API with a moved clock. */
export async function tellStory(url: string, webhookUrl: string): Promise<void> {
  const world = await createWorld(url, { beginMs: BEGIN_MS, webhookUrl });
  const nights: readonly Event[] = Array.from({ length: NIGHTS }, (_, night) => ({
    agoMs: (night + 0.5) * DAY_MS,
    run: () => world.runJobs(),
  }));
  const events = [
    ...[tellSegments, tellFlags, tellArchive, tellHistory, tellFreezes, tellAccess, tellEvaluations].flatMap(
      (tell) => tell(world),
    ),
    ...tellCode(world),
    ...tellWebhooks(world, webhookUrl),
    ...tellLongNames(world),
    ...nights,
    { agoMs: 2.5 * HOUR_MS, run: () => world.runJobs() },
    { agoMs: 0, run: () => world.runJobs() },
  ];
  try {
    for (const { agoMs, run } of events.toSorted((a, b) => b.agoMs - a.agoMs)) {
      world.moveTo(agoMs);
      await run();
    }
  } finally {
    await world.close();
  }
}

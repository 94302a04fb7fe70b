import { rulesFor } from './flag-rules.ts';
import { type ShopFlag, shopFlags } from './flag-table.ts';
import { valuesOf } from './flag-values.ts';
import type { Event } from './story.ts';
import { DAY_MS, ENVIRONMENTS, type World } from './world.ts';

/** The kept editor cannot change production, so an admin does. */
const author = (flag: ShopFlag) => (flag.owner === 'keptEditor' ? 'admin' : flag.owner);

/** Each flag is created and configured at its age. */
export function tellFlags(world: World): readonly Event[] {
  return shopFlags.map((flag) => ({ agoMs: flag.ageDays * DAY_MS, run: () => createFlag(world, flag) }));
}

async function createFlag(world: World, flag: ShopFlag): Promise<void> {
  const api = await world.as(author(flag));
  const isLong = flag.status === 'active' && flag.ageDays > 14;
  const { id } = await api.in(world.environments.production).flags.create({
    key: flag.key,
    name: flag.name,
    ...valuesOf(flag.key),
    tags: [...flag.tags],
    classification: flag.classification,
    owner_id: world.users[flag.owner],
    draft: flag.status === 'draft',
    // Without it, everything that is on for a month would count as stale.
    ...(isLong && { stale_after_days: 365 }),
  });
  for (const environment of ENVIRONMENTS) {
    const state = flag[environment];
    if (state === 'off') continue;
    const rules = rulesFor(flag.key, environment, state);
    await api.in(world.environments[environment]).flags.patch(id, {
      instructions: [
        ...rules.map((rule) => ({ op: 'add_rule' as const, rule })),
        { op: 'set_enabled' as const, enabled: true },
      ],
    });
  }
}

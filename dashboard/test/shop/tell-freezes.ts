import type { Event } from './story.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from './world.ts';

const ZONE = 'Europe/Amsterdam';
/** The end of Peak week is this far away. */
const PEAK_LEFT_MS = 6 * DAY_MS + 18 * HOUR_MS + 47 * MINUTE_MS;

/** Windows, planned changes that meet them, and two emergencies, one of them not reviewed yet. */
export function tellFreezes(world: World): readonly Event[] {
  return [
    { agoMs: 22.1 * DAY_MS, run: () => createWindow(world, 'Autumn sale', [-21.9 * DAY_MS, -21.2 * DAY_MS]) },
    ...tellEmergency(world, {
      agoMs: 21.6 * DAY_MS,
      minutes: 6,
      flag: 'stop-klarna',
      justification:
        'Klarna answers every second request with an error. I turn it off until their status is green.',
      incident: 'INC-2247',
    }),
    { agoMs: 21 * DAY_MS, run: () => reviewAll(world) },
    { agoMs: 5 * DAY_MS, run: () => createWindow(world, 'Christmas', [27 * DAY_MS, 34 * DAY_MS]) },
    { agoMs: 3 * DAY_MS, run: () => createWindow(world, 'Peak week', [-29 * HOUR_MS, PEAK_LEFT_MS]) },
    { agoMs: 2.9 * DAY_MS, run: () => createWeekends(world) },
    { agoMs: 2.8 * DAY_MS, run: () => planChanges(world) },
    ...tellEmergency(world, {
      agoMs: 20 * HOUR_MS,
      minutes: 14,
      flag: 'read-only-shop',
      justification:
        'The order database is at 100 % and orders are lost. Read-only until the replica has caught up.',
      incident: 'INC-2291',
    }),
  ];
}

async function createWindow(
  world: World,
  name: string,
  [from, to]: readonly [number, number],
): Promise<void> {
  const api = await world.as('admin');
  await api.freezeWindows.create({
    name,
    reason: 'The busiest days of the year',
    starts_at: new Date(world.end + from).toISOString(),
    ends_at: new Date(world.end + to).toISOString(),
    scope: { environment_ids: [world.environments.production] },
    allow: ['disable', 'rollout_decrease'],
  });
}

async function createWeekends(world: World): Promise<void> {
  const api = await world.as('admin');
  await api.freezeWindows.create({
    name: 'Weekends',
    reason: 'Nobody is at work',
    scope: { environment_ids: [world.environments.production] },
    starts_at: nextFriday(world.end),
    recurrence: { rule: 'FREQ=WEEKLY;BYDAY=FR', timezone: ZONE, duration_minutes: 54 * 60 },
    allow: ['disable'],
  });
}

/** 18:00 in Amsterdam, in winter. */
function nextFriday(after: number): string {
  const friday = new Date(after);
  friday.setUTCHours(17, 0, 0, 0);
  friday.setUTCDate(friday.getUTCDate() + ((12 - friday.getUTCDay()) % 7 || 7));
  return friday.toISOString();
}

interface Emergency {
  readonly agoMs: number;
  readonly minutes: number;
  readonly flag: string;
  readonly justification: string;
  readonly incident: string;
}

/** Sam breaks glass, switches a kill switch on, and off again when it is over. */
function tellEmergency(world: World, emergency: Emergency): readonly Event[] {
  const { agoMs, minutes, justification, incident } = emergency;
  let session = '';
  const toggle = async (isOn: boolean): Promise<void> => {
    const api = (await world.as('secondAdmin')).in(world.environments.production);
    const { id } = await api.flags.getByKey(emergency.flag);
    await api.flags.toggle(id, isOn, { breakGlass: session, comment: incident });
  };
  return [
    {
      agoMs,
      run: async () => {
        const api = await world.as('secondAdmin', { isFresh: true });
        const scope = { environment_ids: [world.environments.production] };
        const opened = { scope, justification, incident_ref: incident, duration_minutes: 30 };
        session = (await api.breakGlass.open(opened)).id;
        await toggle(true);
      },
    },
    {
      agoMs: agoMs - minutes * MINUTE_MS,
      run: async () => {
        await toggle(false);
        await (await world.as('secondAdmin')).breakGlass.close(session);
      },
    },
  ];
}

async function reviewAll(world: World): Promise<void> {
  const api = await world.as('admin');
  for (const { id } of await api.breakGlass.list())
    await api.breakGlass.review(id, {
      outcome: 'justified',
      note: 'Klarna confirmed the outage the same day.',
    });
}

/** One met the freeze and failed, one falls into it and waits, one comes an hour after it. */
async function planChanges(world: World): Promise<void> {
  const api = (await world.as('admin')).in(world.environments.production);
  for (const [key, inMs, percentage, onFreeze] of [
    ['payments-ideal-2', -20 * HOUR_MS, 50, 'fail'],
    ['delivery-hour', 44 * HOUR_MS, 25, 'defer'],
    ['checkout-layout', PEAK_LEFT_MS + HOUR_MS, 60, 'defer'],
  ] as const) {
    const { id, targeting_rules: rules, variations } = await api.flags.getByKey(key);
    await api.scheduledChanges.create(id, {
      environment_id: world.environments.production,
      execute_at: new Date(world.end + inMs).toISOString(),
      timezone: ZONE,
      on_freeze: onFreeze,
      on_conflict: 'rebase',
      changes: [
        {
          op: 'set_rollout',
          rule_id: rules[0]!.id,
          percentage_rollout: [
            { variation: variations[0]!.key, percentage },
            { variation: variations[1]!.key, percentage: 100 - percentage },
          ],
        },
      ],
    });
  }
}

/** Measures every filter and order of a project's list of 5,000 flags in four environments. */

import { HOUR_MS } from '../src/lib/durations.ts';
import type { Database } from '../src/storage/database.ts';
import type { CounterHourlyTable } from '../src/storage/event-tables.ts';
import { eventsOf } from '../src/storage/events/event-database.ts';
import { storeEvaluations } from '../test/evaluations.ts';
import type { Client, InProcessPlan } from './in-process.ts';
import { sampleRows } from './rows.ts';

const FLAGS = 5_000;
const ENVIRONMENTS = 4;
const ROUNDS = 4;
const WARM_UP = 1;
const GOAL_MS = 60;
/** Hours with evaluations, of which SDKs report a row for each variation, reason and rule. */
const HOURS = 6;

const VIEWS = [
  '',
  'owner_id=me',
  'status=stale',
  'classification=ops_killswitch',
  'flag_type=boolean,json',
  'tag=t7',
  'search=feature',
  'search=feature-77',
  'changed_since=2026-01-01T00:00:00Z',
  'changed_since=2026-11-01T00:00:00Z',
  'state=off',
  'state=share',
  'state=on,rules',
  'state=share&environment_id=ENVIRONMENT',
  'state=rules&environment_id=ENVIRONMENT',
  'state=off&environment_id=ENVIRONMENT&tag=t7&status=active&search=team',
];
const SORTS = ['name', 'key', 'created_at', 'updated_at', 'last_evaluated_at'];

/** Fills a database of its own, because other lists have one environment with flags. */
export async function benchFlagLists(
  { report }: Pick<InProcessPlan, 'report'>,
  { send }: Client,
  db: Database,
): Promise<void> {
  const [project] = await send<{ id: string }[]>('GET', '/projects');
  const projectId = project!.id;
  for (let n = 3; n < ENVIRONMENTS; n++) {
    const body = { key: `region-${n}`, name: `Region ${n}`, type: 'staging' };
    await send('POST', `/projects/${projectId}/environments`, body);
  }
  const environmentId = await fill(db, projectId);
  const slowest: { readonly name: string; readonly ms: number }[] = [];
  const work: number[] = [];
  const measure = async (url: string): Promise<readonly number[]> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      const [begun, used] = [performance.now(), process.cpuUsage()];
      await send('GET', url);
      if (round < WARM_UP) continue;
      times.push(performance.now() - begun);
      const { user, system } = process.cpuUsage(used);
      work.push((user + system) / 1_000);
    }
    slowest.push({ name: url.replace(`/projects/${projectId}`, ''), ms: p95(times) });
    return times;
  };
  const all: number[] = [];
  for (const sort of SORTS)
    for (const order of ['asc', 'desc'])
      for (const view of VIEWS) {
        const filter = view.replace('ENVIRONMENT', environmentId);
        const query = `${filter}&sort=${sort}&order=${order}&include=evaluations&per_page=100`;
        all.push(...(await measure(`/projects/${projectId}/flags?${query}`)));
      }
  const views = await measure(`/projects/${projectId}/flag-views`);
  const what = `${FLAGS} flags in ${ENVIRONMENTS} environments`;
  report(`page of 100 of ${what}, all filters and sorts: p50`, quantile(all, 0.5), 'ms');
  report(`page of 100 of ${what}, all filters and sorts: p95`, p95(all), 'ms', GOAL_MS);
  report('  of which processor time, which other processes do not change: p95', p95(work), 'ms');
  report(`counts of the views of ${what}: p95`, p95(views), 'ms', GOAL_MS);
  slowest.sort((left, right) => right.ms - left.ms);
  for (const { name, ms } of slowest.slice(0, 5)) report(`  slow: ${name}`, ms, 'ms');
}

/** Inserts the sample flags into every environment of the project; returns the id of one. */
export async function fill(db: Database, projectId: string): Promise<string> {
  const { organization_id } = await db
    .selectFrom('projects')
    .select('organization_id')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const places = await db
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', projectId)
    .execute();
  const { user_id } = await db.selectFrom('memberships').select('user_id').executeTakeFirstOrThrow();
  const { flags } = sampleRows(FLAGS);
  const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
  const counters: CounterHourlyTable[] = [];
  await db.transaction().execute(async (tx) => {
    for (const [index, flag] of flags.entries()) {
      const { key, flag_type, client_side, variations_json } = flag;
      const { enabled, default_variation, rules_json, prerequisites_json } = flag;
      const id = `flg_${String(index).padStart(5, '0')}`;
      await tx
        .insertInto('flags')
        .values({
          ...{ organization_id, project_id: projectId, id, key, flag_type, client_side, variations_json },
          name: `Feature ${key}`,
          description: '',
          status: index % 20 === 0 ? 'stale' : flag.status,
          tags_json: JSON.stringify([`t${index % 40}`, `team-${index % 17}`]),
          classification: index % 30 === 0 ? 'ops_killswitch' : 'release',
          permanent: 0,
          owner_id: index % 6 === 0 ? user_id : null,
          expected_end_at: null,
          revision: 1,
          created_at: at(index),
          updated_at: at(index / 2),
          archived_at: null,
        })
        .execute();
      const configuration = { default_variation, rules_json, prerequisites_json, revision: 1 };
      await tx
        .insertInto('flag_environments')
        .values(
          places.map((place, position) => ({
            ...{ ...configuration, organization_id, flag_id: id, environment_id: place.id },
            enabled: (index + position) % 4 === 0 ? 0 : enabled,
            updated_at: at((index + position * 7) / 3),
          })),
        )
        .execute();
      const counted = Array.from({ length: HOURS }, (_, hour) => at(hour + (index % 18)).slice(0, 13));
      counters.push(
        ...places.flatMap((place) =>
          counted.map((hour) => ({
            ...{ organization_id, environment_id: place.id, flag_key: key, count: index },
            ...{ hour: `${hour}:00:00.000Z`, variation_key: 'on', reason: 'DEFAULT', rule_id: '' },
          })),
        ),
      );
    }
  });
  await storeEvaluations({ db, events: eventsOf(db) }, counters);
  return places.at(-1)!.id;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((left, right) => left - right)[Math.ceil(values.length * share) - 1]!;
}

const p95 = (values: readonly number[]): number => quantile(values, 0.95);

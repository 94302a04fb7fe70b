import type { Session } from '../adapter/session.ts';
import type { Problem } from '../report/results.ts';
import { dataOf, type Place, type World } from './tested-server.ts';

/** A flag as the management API shows it. */
export interface FlagRecord {
  readonly id: string;
  readonly key: string;
  readonly enabled: boolean;
  readonly status: string;
  readonly name: string;
  readonly default_variation: string;
  readonly [name: string]: unknown;
}

/** The part of a compiled ruleset that is looked at. */
export interface Ruleset {
  readonly version: number;
  readonly flags: readonly { readonly key: string; readonly enabled: boolean }[];
}

/** What the sequence knows of the server. */
export interface State {
  readonly world: World;
  readonly place: Place & { readonly projectId: string };
  readonly random: (below: number) => number;
  readonly flags: Map<string, FlagRecord>;
  /** Audit entries of each flag that there must be. */
  readonly audits: Map<string, number>;
  ruleset: { readonly body: Ruleset; readonly tag: string };
  /** Another implementation, which has to decide as the server does. */
  readonly peer?: Session | undefined;
  readonly problems: Problem[];
  readonly log: string[];
}

/** Where the flags of the sequence are. */
export const query = ({ place }: State): { environment_id: string } => ({
  environment_id: place.environmentId,
});

/** One flag as it is now. */
export const read = async (state: State, id: string): Promise<FlagRecord> =>
  dataOf(
    await state.world.admin({ method: 'GET', path: `/flags/${id}`, query: query(state) }),
    200,
    'GET /flags/{id}',
  );

/** The compiled ruleset of a key, with its tag. */
export const fetchRuleset = async (world: World, key: string): Promise<State['ruleset']> => {
  const answer = await world.as('none', {
    method: 'GET',
    path: '/sdk/ruleset',
    headers: { 'x-api-key': key },
  });
  const body = dataOf<Ruleset>(answer, 200, 'GET /sdk/ruleset');
  return { body, tag: answer.headers['etag'] ?? '' };
};

import type { Session } from '../adapter/session.ts';
import type { Problem } from '../report/results.ts';
import { dataOf, type TestEnvironment, type TestedServer } from './tested-server.ts';

/** A flag as the management API returns it. */
export interface FlagRecord {
  readonly id: string;
  readonly key: string;
  readonly enabled: boolean;
  readonly status: string;
  readonly name: string;
  readonly default_variation: string;
  readonly [name: string]: unknown;
}

/** The part of a compiled ruleset that is checked. */
export interface Ruleset {
  readonly version: number;
  readonly flags: readonly { readonly key: string; readonly enabled: boolean }[];
}

/** Whether a command must change the compiled ruleset; after `keeps`, a change is not an error. */
export type Effect = 'changes' | 'keeps';

/** What a sequence knows about the server. */
export interface SequenceState {
  readonly server: TestedServer;
  readonly environment: TestEnvironment & { readonly projectId: string };
  readonly random: (below: number) => number;
  readonly flags: Map<string, FlagRecord>;
  /** The expected number of audit entries, by flag id. */
  readonly audits: Map<string, number>;
  /** The compiled ruleset after the last command. */
  ruleset: { readonly body: Ruleset; readonly tag: string };
  /** Another implementation, which must give the same results as the server. */
  readonly otherEvaluator?: Session | undefined;
  readonly problems: Problem[];
  readonly log: string[];
}

/** The query that selects the sequence's environment. */
export const query = ({ environment }: SequenceState): { environment_id: string } => ({
  environment_id: environment.environmentId,
});

/** The flag's current state. */
export const readFlag = async (state: SequenceState, id: string): Promise<FlagRecord> =>
  dataOf(
    await state.server.admin({ method: 'GET', path: `/flags/${id}`, query: query(state) }),
    200,
    'GET /flags/{id}',
  );

/** The compiled ruleset that an SDK key sees, with its entity tag. */
export const fetchRuleset = async (server: TestedServer, key: string): Promise<SequenceState['ruleset']> => {
  const answer = await server.as('none', {
    method: 'GET',
    path: '/sdk/ruleset',
    headers: { 'x-api-key': key },
  });
  const body = dataOf<Ruleset>(answer, 200, 'GET /sdk/ruleset');
  return { body, tag: answer.headers['etag'] ?? '' };
};

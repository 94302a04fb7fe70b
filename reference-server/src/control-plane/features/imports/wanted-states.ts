import { ApiError } from '../../../http/errors.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import {
  checkDefaultVariation,
  checkRemovedVariations,
  checkRules,
  checkVariations,
} from '../flags/checks/check-flag.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { checkSettings, newState } from '../flags/plans/create-plan.ts';
import { withKnownIds } from '../flags/plans/match-rules.ts';
import { readEnd } from '../flags/plans/update-plan.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import type { DocumentConfig, DocumentFlag } from './document.ts';

export interface Environment {
  readonly id: string;
  readonly key: string;
  readonly type: string;
}

/** What a flag of a document is checked against. */
export interface WantedScope {
  readonly environments: readonly Environment[];
  readonly segmentKeys: ReadonlySet<string>;
  readonly reading: { readonly settings: ProjectSettings };
  readonly actor: Actor;
  readonly projectId: string;
  readonly newId: NewId;
  readonly at: string;
}

/**
 * A flag as its document states it, in every environment. A flag is stated as a whole, and so is each environment
 * that is named; in the others it stays as it is, or is off at first. Throws the first fault that it finds.
 */
export function wantedStates(
  flag: DocumentFlag,
  before: ReadonlyMap<string, FlagState>,
  scope: WantedScope,
): ReadonlyMap<string, FlagState> {
  const { environments } = scope;
  const unknown = Object.keys(flag.environments ?? {}).find(
    (key) => !environments.some((environment) => environment.key === key),
  );
  if (unknown !== undefined) {
    throw new ApiError('ENVIRONMENT_NOT_FOUND', { details: { field: `environments.${unknown}` } });
  }
  const shared = sharedState(flag, before, scope);
  const states = environments.map(({ id, key }) => {
    const stated = flag.environments !== undefined && Object.hasOwn(flag.environments, key);
    const own = before.get(id) ?? { ...shared, ...OFF, defaultVariation: flag.default_variation };
    const kept = { ...own, ...sharedOf(shared), environmentId: id };
    return stated
      ? withConfig(flag, kept, flag.environments![key]!, { ...scope, environmentKey: key })
      : kept;
  });
  requireKept(states);
  return new Map(states.map((state) => [state.environmentId, state]));
}

const OFF = { enabled: false, rules: [], prerequisites: [], configRevision: 0 };

/** What all environments share, as the document has it. */
function sharedState(
  flag: DocumentFlag,
  before: ReadonlyMap<string, FlagState>,
  { actor, newId, at, projectId, reading, environments }: WantedScope,
): FlagState {
  const variations = flag.variations.map((one) => ({ ...one, name: one.name ?? one.key }));
  const [known] = before.values();
  if (known !== undefined && known.flagType !== flag.flag_type) {
    throw new ApiError('FLAG_TYPE_IMMUTABLE', { details: { field: 'flag_type', flag_type: known.flagType } });
  }
  const { key, flag_type, default_variation } = flag;
  const input = { key, flag_type, variations, default_variation, name: flag.name ?? key };
  const environmentId = environments[0]?.id ?? '';
  const base = known ?? newState({ actor, newId, environmentId, input, at }, projectId, reading.settings);
  const state: FlagState = {
    ...base,
    name: flag.name ?? key,
    description: flag.description ?? '',
    variations: checkVariations(flag_type, variations),
    tags: [...new Set(flag.tags ?? [])],
    classification: flag.classification ?? null,
    clientSide: flag.client_side ?? false,
    trackExposures: flag.track_exposures ?? false,
    permanent: flag.permanent ?? false,
    expectedEndAt: readEnd(flag.expected_end_at) ?? null,
    staleAfterDays: flag.stale_after_days ?? null,
    ...statusOf(flag, known, at),
  };
  checkDefaultVariation(default_variation, new Set(variations.map((one) => one.key)));
  if (known === undefined) checkSettings(state, reading.settings);
  return state;
}

/** A stale flag is an active one; one that is in use does not become a draft again. */
function statusOf(
  { status = 'active' }: DocumentFlag,
  known: FlagState | undefined,
  at: string,
): Pick<FlagState, 'status' | 'archivedAt'> {
  if (status === 'archived') return { status, archivedAt: known?.archivedAt ?? at };
  if (known === undefined) return { status, archivedAt: null };
  if (known.status === 'stale' || (status === 'draft' && known.status === 'active')) {
    return { status: known.status, archivedAt: null };
  }
  return { status, archivedAt: null };
}

function sharedOf(state: FlagState) {
  const { name, description, flagType, status, variations, tags, classification, clientSide } = state;
  const { trackExposures, permanent, expectedEndAt, staleAfterDays, archivedAt } = state;
  return {
    name,
    description,
    flagType,
    status,
    variations,
    tags,
    classification,
    clientSide,
    trackExposures,
    permanent,
    expectedEndAt,
    staleAfterDays,
    archivedAt,
  };
}

function withConfig(
  flag: DocumentFlag,
  state: FlagState,
  config: DocumentConfig,
  { segmentKeys, newId, environmentKey }: WantedScope & { readonly environmentKey: string },
): FlagState {
  const variationKeys = new Set(state.variations.map((variation) => variation.key));
  const defaultVariation = config.default_variation ?? flag.default_variation;
  const within = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof ApiError) || typeof error.details['field'] !== 'string') throw error;
      const { field, ...details } = error.details;
      throw new ApiError(error.code, {
        message: error.message,
        details: { field: `environments.${environmentKey}.${String(field)}`, ...details },
      });
    }
  };
  return within(() => {
    checkDefaultVariation(defaultVariation, variationKeys);
    const rules = withKnownIds(config.targeting_rules ?? [], state.rules);
    const knownIds = new Set(state.rules.map((rule) => rule.id));
    return {
      ...state,
      enabled: config.enabled ?? false,
      defaultVariation,
      rules: checkRules(rules, { variationKeys, segmentKeys, knownIds, before: state.rules, newId }),
      prerequisites: (config.prerequisites ?? []).map(({ flag_key, variation }) => ({ flag_key, variation })),
    };
  });
}

/** Throws VARIATION_IN_USE when an environment that the document does not name still serves what it drops. */
function requireKept(states: readonly FlagState[]): void {
  const kept = new Set(states[0]?.variations.map((variation) => variation.key));
  const served = states.flatMap((state) => [
    state.defaultVariation,
    ...state.rules.flatMap(
      (rule) => rule.percentage_rollout?.map((entry) => entry.variation) ?? [rule.variation ?? ''],
    ),
  ]);
  const gone = new Set(served.filter((variation) => !kept.has(variation)));
  if (gone.size > 0) checkRemovedVariations(gone, states[0]!.key, states, []);
}

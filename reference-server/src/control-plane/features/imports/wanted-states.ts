import { ApiError } from '../../../http/errors.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import { checkRules } from '../flags/checks/check-rules.ts';
import {
  checkDefaultVariation,
  checkRemovedVariations,
  checkVariations,
} from '../flags/checks/check-variations.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { keepRuleIds } from '../flags/plans/keep-rule-ids.ts';
import { checkSettings, newState, readExpectedEnd } from '../flags/plans/new-flag.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import type { DocumentConfig, DocumentFlag } from './document.ts';
import type { ImportEnvironment } from './import-steps.ts';

/** The parts of a project to which the flags of a document can refer. */
export interface WantedScope {
  /** Existing environments and those that the import creates. */
  readonly environments: readonly ImportEnvironment[];
  readonly segmentKeys: ReadonlySet<string>;
  readonly project: { readonly settings: ProjectSettings };
  readonly actor: Actor;
  readonly projectId: string;
  readonly newId: NewId;
  readonly at: string;
}

/**
 * The state of a flag in every environment after the import. A document declares a flag completely, including its
 * configuration in each environment that the flag names. In other environments the flag keeps its configuration, or
 * starts switched off if it is new. Throws the first fault.
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
    const own = before.get(id) ?? { ...shared, ...OFF, defaultVariation: flag.default_variation };
    const state = { ...own, ...sharedFields(shared), environmentId: id };
    const isDeclared = flag.environments !== undefined && Object.hasOwn(flag.environments, key);
    if (!isDeclared) return state;
    const config = flag.environments![key]!;
    return withFieldPrefix(`environments.${key}`, () =>
      withConfig(
        state,
        { ...config, default_variation: config.default_variation ?? flag.default_variation },
        scope,
      ),
    );
  });
  requireServedVariations(states);
  return new Map(states.map((state) => [state.environmentId, state]));
}

const OFF = { enabled: false, rules: [], prerequisites: [], configRevision: 0 };

/** The declared part that all environments share. */
function sharedState(
  flag: DocumentFlag,
  before: ReadonlyMap<string, FlagState>,
  { actor, newId, at, projectId, project, environments }: WantedScope,
): FlagState {
  const variations = flag.variations.map((one) => ({ ...one, name: one.name ?? one.key }));
  const [known] = before.values();
  if (known !== undefined && known.flagType !== flag.flag_type) {
    throw new ApiError('FLAG_TYPE_IMMUTABLE', { details: { field: 'flag_type', flag_type: known.flagType } });
  }
  const { key, flag_type, default_variation } = flag;
  const input = { key, flag_type, variations, default_variation, name: flag.name ?? key };
  const environmentId = environments[0]?.id ?? '';
  const base = known ?? newState({ actor, newId, projectId, environmentId, input, at }, project.settings);
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
    expectedEndAt: readExpectedEnd(flag.expected_end_at ?? null),
    staleAfterDays: flag.stale_after_days ?? null,
    ...statusOf(flag, known, at),
  };
  checkDefaultVariation(default_variation, new Set(variations.map((one) => one.key)));
  if (known === undefined) checkSettings(state, project.settings);
  return state;
}

/** `active` keeps a stale flag stale, and `draft` does not turn an active flag back into a draft. */
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

function sharedFields(state: FlagState) {
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
  state: FlagState,
  config: DocumentConfig & { readonly default_variation: string },
  { segmentKeys, newId }: WantedScope,
): FlagState {
  const variationKeys = new Set(state.variations.map((variation) => variation.key));
  checkDefaultVariation(config.default_variation, variationKeys);
  const rules = keepRuleIds(config.targeting_rules ?? [], state.rules);
  const knownIds = new Set(state.rules.map((rule) => rule.id));
  return {
    ...state,
    enabled: config.enabled ?? false,
    defaultVariation: config.default_variation,
    rules: checkRules(rules, { variationKeys, segmentKeys, knownIds, before: state.rules, newId }),
    prerequisites: (config.prerequisites ?? []).map(({ flag_key, variation }) => ({ flag_key, variation })),
  };
}

/** Runs a check, and puts the prefix before the field that its error names. */
function withFieldPrefix<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ApiError) || typeof error.details['field'] !== 'string') throw error;
    const { field, ...details } = error.details;
    throw new ApiError(error.code, {
      message: error.message,
      details: { field: `${prefix}.${String(field)}`, ...details },
    });
  }
}

/** Throws VARIATION_IN_USE when an environment that the document does not name still serves a removed variation. */
function requireServedVariations(states: readonly FlagState[]): void {
  const kept = new Set(states[0]?.variations.map((variation) => variation.key));
  const served = states.flatMap((state) => [
    state.defaultVariation,
    ...state.rules.flatMap(
      (rule) => rule.percentage_rollout?.map((entry) => entry.variation) ?? [rule.variation ?? ''],
    ),
  ]);
  const removed = new Set(served.filter((variation) => !kept.has(variation)));
  if (removed.size === 0) return;
  checkRemovedVariations(removed, { flagKey: states[0]!.key, ownConfigs: states, dependents: [] });
}

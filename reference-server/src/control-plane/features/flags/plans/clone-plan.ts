import { invalid } from '../../../../http/errors.ts';
import type { Warning } from '../../../../http/warnings.ts';
import { segmentKeysIn } from '../../../../lib/segment-keys.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { Actor } from '../../../access/actor.ts';
import type { Plan } from '../../../write-gate/change.ts';
import { mapPlan } from '../../../write-gate/map-plan.ts';
import { createPatternAllowance } from '../../targeting/pattern-allowance.ts';
import { warnOfRules } from '../checks/rule-warnings.ts';
import type { FlagRecord } from '../flag-schemas.ts';
import type { FlagState } from '../flag-state.ts';
import { findVariationKeys, listStates } from '../flag-store.ts';
import type { ProjectLookups } from '../project-lookups.ts';
import { projectWideFields } from '../project-wide-fields.ts';
import { requireFreeKey } from './create-plan.ts';
import { planInsert } from './insert-plan.ts';
import { checkSettings, ownerOf } from './new-flag.ts';

export interface CloneInput {
  readonly key: string;
  /** Default: the name of the source. */
  readonly name?: string | undefined;
  /**
   * Environments whose configuration is copied; default all. In another project, an environment is copied to the one
   * with the same key.
   */
  readonly environment_ids?: readonly string[] | undefined;
  /** Default: the project of the source. */
  readonly target_project_id?: string | undefined;
}

/** The copy, and the keys that the target project lacks. Whatever refers to these keys is not copied. */
export interface CloneResult {
  readonly flag: FlagRecord;
  readonly left_out: {
    readonly segments: readonly string[];
    readonly prerequisites: readonly string[];
    readonly environments: readonly string[];
  };
}

export interface CloneRequest {
  readonly lookups: Pick<
    ProjectLookups,
    'requireProjectSettings' | 'listEnvironmentKeys' | 'listSegmentKeys' | 'listSegments'
  >;
  readonly newId: NewId;
  readonly actor: Actor;
  readonly source: FlagState;
  readonly input: CloneInput;
  readonly at: string;
}

/** Copies a flag under another key, switched off everywhere. Segments and prerequisites are matched by key. */
export async function planClone(tx: Tx, request: CloneRequest): Promise<Plan<CloneResult>> {
  const { lookups, newId, actor, source, input, at } = request;
  const { organizationId } = actor;
  const projectId = input.target_project_id ?? source.projectId;
  const settings = await lookups.requireProjectSettings(tx, organizationId, projectId);
  await requireFreeKey(tx, { projectId, key: input.key }, at);
  const states = await listStates(tx, organizationId, source.id);
  requireOwnEnvironments(input.environment_ids, states);

  const sourceKeys = await lookups.listEnvironmentKeys(tx, organizationId, source.projectId);
  const targetKeys = await lookups.listEnvironmentKeys(tx, organizationId, projectId);
  const copied = states.filter((state) => input.environment_ids?.includes(state.environmentId) ?? true);
  const byKey = new Map(copied.map((state) => [sourceKeys.get(state.environmentId)!, state]));
  const scope = await readScope(tx, { lookups, projectId, copied });
  const base = newCopy(request, projectId);
  checkSettings(base, settings);
  const copies = [...targetKeys].map(([environmentId, key]): FlagState => {
    const from = byKey.get(key);
    if (from === undefined) return { ...base, environmentId };
    const rules = from.rules.filter((rule) =>
      segmentKeysIn(rule).every((segment) => scope.segments.has(segment)),
    );
    requireFewPatternStates(rules);
    return {
      ...base,
      environmentId,
      defaultVariation: from.defaultVariation,
      rules: rules.map((rule) => ({ ...rule, id: newId('rule') })),
      prerequisites: from.prerequisites.filter(scope.hasVariation),
    };
  });
  const shown = copies.find((copy) => copy.environmentId === source.environmentId) ?? copies[0] ?? base;
  const left_out = {
    segments: missing(
      copied.flatMap((state) => state.rules.flatMap(segmentKeysIn)),
      scope.segments,
    ),
    prerequisites: missing(
      copied.flatMap(({ prerequisites }) =>
        prerequisites.filter((one) => !scope.hasVariation(one)).map((one) => one.flag_key),
      ),
      new Set(),
    ),
    environments: missing([...byKey.keys()], new Set(targetKeys.values())),
  };
  const plan = planInsert(shown, copies);
  const warnings: Warning[] = [];
  for (const copy of copies) warnings.push(...(await warnOfRules(tx, lookups, copy)));
  // Unlike a new flag, a copy can have rules in every environment.
  const after = { ...plan.after, ...projectWideFields(copies, targetKeys) };
  return mapPlan({ ...plan, after, warnings }, (flag) => ({ flag, left_out }));
}

/** The copy before it is configured: switched off, without rules and prerequisites. */
function newCopy({ newId, actor, source, input, at }: CloneRequest, projectId: string): FlagState {
  return {
    ...source,
    id: newId('flg'),
    projectId,
    key: input.key,
    name: input.name ?? source.name,
    status: 'active',
    ownerId: ownerOf(actor),
    archivedAt: null,
    createdAt: at,
    staleSince: null,
    staleReasons: [],
    staleSnoozedUntil: null,
    flagRevision: 1,
    flagUpdatedAt: at,
    enabled: false,
    rules: [],
    prerequisites: [],
    lastEvaluatedAt: null,
    configRevision: 0,
    configUpdatedAt: at,
  };
}

/**
 * Throws REGEX_INVALID for patterns with too many states, which may come from flags that an older version of the server
 * stored.
 */
function requireFewPatternStates(rules: FlagState['rules']): void {
  const patterns = createPatternAllowance();
  for (const { operator, value } of rules.flatMap(({ conditions }) => conditions))
    if (operator === 'matches_regex') patterns.take(String(value), 'targeting_rules');
}

function requireOwnEnvironments(wanted: readonly string[] | undefined, states: readonly FlagState[]): void {
  const own = new Set(states.map((state) => state.environmentId));
  if (wanted?.every((id) => own.has(id)) ?? true) return;
  throw invalid({
    field: 'environment_ids',
    location: 'body',
    code: 'unknown',
    message: "must be environments of the flag's project",
  });
}

/** The segments and variations of the target project that a copy can refer to. */
async function readScope(
  tx: Tx,
  of: { lookups: CloneRequest['lookups']; projectId: string; copied: readonly FlagState[] },
) {
  const segments = new Set(await of.lookups.listSegmentKeys(tx, of.projectId));
  const wanted = of.copied.flatMap((state) => state.prerequisites.map((one) => one.flag_key));
  const variations = await findVariationKeys(tx, { projectId: of.projectId, flagKeys: [...new Set(wanted)] });
  const hasVariation = ({ flag_key, variation }: FlagState['prerequisites'][number]) =>
    variations.get(flag_key)?.includes(variation) ?? false;
  return { segments, hasVariation };
}

function missing(wanted: readonly string[], known: ReadonlySet<string>): readonly string[] {
  return [...new Set(wanted.filter((key) => !known.has(key)))];
}

import { ApiError } from '../../../http/errors.ts';
import { createTimeSlice } from '../../../lib/time-slice.ts';
import { ENVIRONMENTS_MAX } from '../environments/environment-state.ts';
import { FLAGS_MAX } from '../flags/flag-schemas.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { isSameState } from '../flags/plans/state-plan.ts';
import { checkResult } from './check-result.ts';
import type { DocumentEnvironment } from './document.ts';
import type { Loss } from './elsewhere/loss.ts';
import { collectErrors, ERRORS_MAX, type ImportError, limitError } from './import-errors.ts';
import type { FlagStep, ImportSteps, PlanRequest } from './import-steps.ts';
import { limitWarnings, noteWarning, warnOfSteps } from './import-warnings.ts';
import { planSegments } from './plan-segments.ts';
import { wantedStates } from './wanted-states.ts';

/**
 * Compares a document with a project. Does not access the database; the summary contains the faults of the document.
 */
export async function planImport(request: PlanRequest): Promise<ImportSteps> {
  const { document, project, mode } = request;
  const errors: ImportError[] = [];
  const notes = [...request.notes];
  const environments = planEnvironments(request, errors, notes);
  const segments = planSegments(request, errors);
  const flags = await planFlags(request, environments, errors);
  if (mode === 'replace') {
    const declaredFlags = new Set(document.flags?.map((flag) => flag.key));
    for (const [key, states] of project.flags) {
      const [state] = states.values();
      if (!declaredFlags.has(key) && state?.status !== 'archived') {
        flags.steps.push({ kind: 'archive', key, before: states, after: states });
      }
    }
    const declaredSegments = new Set(document.segments?.map((segment) => segment.key));
    for (const { key } of project.segments) if (!declaredSegments.has(key)) notes.push(`segment-kept=${key}`);
  }
  errors.push(...checkResult(project, flags.steps));
  const keysOf = (kind: FlagStep['kind']) =>
    flags.steps.filter((step) => step.kind === kind).map((step) => step.key);
  const ruleWarnings = await warnOfSteps(request, flags.steps);
  return {
    summary: {
      create: {
        environments: environments.map(({ key }) => key),
        segments: segments.created.map(({ key }) => key),
        flags: keysOf('create'),
      },
      update: {
        environments: [],
        segments: segments.changed.map(({ segment }) => segment.key),
        flags: keysOf('update'),
      },
      archive: { environments: [], segments: [], flags: keysOf('archive') },
      unchanged: flags.unchanged + segments.unchanged,
      errors: errors.slice(0, ERRORS_MAX),
      warnings: limitWarnings([...notes.map(noteWarning), ...ruleWarnings]),
    },
    environments,
    newSegments: segments.created,
    changedSegments: segments.changed,
    flags: flags.steps,
  };
}

/** The environments to create. An existing environment does not change; a note is added when its type differs. */
function planEnvironments(
  { document, project }: PlanRequest,
  errors: ImportError[],
  notes: (string | Loss)[],
): readonly DocumentEnvironment[] {
  const known = new Map(project.environments.map((environment) => [environment.key, environment]));
  const created: DocumentEnvironment[] = [];
  for (const [index, environment] of (document.environments ?? []).entries()) {
    if (project.archivedKeys.has(environment.key)) {
      errors.push({
        path: `environments.${index}.key`,
        code: 'ENVIRONMENT_KEY_CONFLICT',
        message: 'belongs to an archived environment; restore that one, or leave this one out',
        details: { key: environment.key },
      });
      continue;
    }
    const existing = known.get(environment.key);
    if (existing === undefined) created.push(environment);
    else if (existing.type !== environment.type) notes.push(`environment-type-differs=${environment.key}`);
  }
  if (project.environments.length + project.archivedKeys.size + created.length > ENVIRONMENTS_MAX) {
    errors.push(limitError('environments', ENVIRONMENTS_MAX));
  }
  return created;
}

async function planFlags(
  request: PlanRequest,
  newEnvironments: readonly DocumentEnvironment[],
  errors: ImportError[],
): Promise<{ steps: FlagStep[]; unchanged: number }> {
  const { document, project, mode } = request;
  const steps: FlagStep[] = [];
  const slice = createTimeSlice();
  let unchanged = 0;
  const scope = {
    ...request,
    // New environments have no id yet.
    environments: [
      ...project.environments,
      ...newEnvironments.map(({ key, type }) => ({ id: `new:${key}`, key, type })),
    ],
    segmentKeys: new Set([
      ...project.segments.map((segment) => segment.key),
      ...(document.segments ?? []).map((segment) => segment.key),
    ]),
  };
  for (const [index, flag] of (document.flags ?? []).entries()) {
    if (slice.isOver()) await slice.yieldToOthers();
    const { key } = flag;
    const before = project.flags.get(key) ?? new Map<string, FlagState>();
    if (before.size > 0 && mode === 'create_only') {
      unchanged++;
      continue;
    }
    const after = collectErrors(errors, { path: `flags.${index}`, key }, () => {
      if (before.size === 0 && project.reservedKeys.has(key)) {
        throw new ApiError('FLAG_KEY_CONFLICT', { details: { key, reason: 'reserved' } });
      }
      return wantedStates(flag, before, scope);
    });
    if (after === undefined) continue;
    if (before.size === 0) steps.push({ kind: 'create', key, before, after });
    else if ([...after].every(([id, state]) => isUnchanged(before.get(id), state))) unchanged++;
    else steps.push({ kind: 'update', key, before, after });
  }
  const created = steps.filter((step) => step.kind === 'create').length;
  if (project.flags.size + created > FLAGS_MAX) errors.push(limitError('flags', FLAGS_MAX));
  return { steps, unchanged };
}

/** In a new environment a flag starts switched off, so any configuration there is a change. */
function isUnchanged(before: FlagState | undefined, after: FlagState): boolean {
  if (before !== undefined) return isSameState(before, after);
  return !after.enabled && after.rules.length === 0 && after.prerequisites.length === 0;
}

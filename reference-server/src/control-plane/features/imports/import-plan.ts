import { isDeepStrictEqual } from 'node:util';
import type { Condition } from '@flagsvc/sdk-core';
import { ApiError } from '../../../http/errors.ts';
import type { Warning } from '../../../http/warnings.ts';
import { createTimeSlice } from '../../../lib/time-slice.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import { ENVIRONMENTS_MAX } from '../environments/environment-state.ts';
import { checkGraph } from '../flags/checks/check-graph.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { FLAGS_MAX } from '../flags/plans/create-plan.ts';
import { isSameState } from '../flags/plans/update-plan.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { SEGMENTS_MAX } from '../segments/segment-service.ts';
import { checkConditions } from '../targeting/check-conditions.ts';
import { createPatternAllowance } from '../targeting/pattern-allowance.ts';
import type { DocumentEnvironment, DocumentFlag, DocumentSegment, ProjectDocument } from './document.ts';
import { ERRORS_MAX, type ImportError } from './import-errors.ts';
import { limitWarnings, noteWarning, warnOfSteps } from './import-warnings.ts';
import { type Environment, wantedStates } from './wanted-states.ts';

export const IMPORT_MODES = ['merge', 'replace', 'create_only'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/** Keys by kind. */
export interface KeysByKind {
  readonly environments: readonly string[];
  readonly segments: readonly string[];
  readonly flags: readonly string[];
}

/** What an import would do, as people read it. */
export interface ImportPlan {
  readonly create: KeysByKind;
  readonly update: KeysByKind;
  readonly archive: KeysByKind;
  /** Things of the document that are there already, just so; in `create_only` all that are there. */
  readonly unchanged: number;
  readonly errors: readonly ImportError[];
  readonly warnings: readonly Warning[];
}

/** The project as it is. */
export interface ProjectReading {
  readonly environments: readonly Environment[];
  readonly segments: readonly {
    readonly id: string;
    readonly key: string;
    readonly name: string;
    readonly description: string;
    readonly conditions: readonly Condition[];
    readonly included: readonly string[] | null;
    readonly excluded: readonly string[];
    readonly tags: readonly string[];
  }[];
  /** By flag key, then by environment id. */
  readonly flags: ReadonlyMap<string, ReadonlyMap<string, FlagState>>;
  readonly settings: ProjectSettings;
  /** Keys of deleted flags that are still reserved. */
  readonly reservedKeys: ReadonlySet<string>;
}

/** What becomes of one flag. */
export interface FlagStep {
  readonly kind: 'create' | 'update' | 'archive';
  readonly key: string;
  /** As it is, by environment id; empty when it is created. */
  readonly before: ReadonlyMap<string, FlagState>;
  readonly after: ReadonlyMap<string, FlagState>;
}

/** What an import would do, as it is done. */
export interface ImportSteps {
  readonly summary: ImportPlan;
  readonly environments: readonly DocumentEnvironment[];
  readonly newSegments: readonly DocumentSegment[];
  readonly changedSegments: readonly { readonly id: string; readonly segment: DocumentSegment }[];
  readonly flags: readonly FlagStep[];
}

export interface PlanRequest {
  readonly document: ProjectDocument;
  readonly reading: ProjectReading;
  readonly mode: ImportMode;
  readonly actor: Actor;
  readonly projectId: string;
  readonly newId: NewId;
  readonly at: string;
  /** Notes of the reading, `code` or `code=subject`. */
  readonly warnings: readonly string[];
}

/** Compares a document with a project. Reads nothing and writes nothing; faults of the document are in the summary. */
export async function planImport(request: PlanRequest): Promise<ImportSteps> {
  const { document, reading, mode } = request;
  const errors: ImportError[] = [];
  const notes = [...request.warnings];
  const environments = newEnvironments(request, errors, notes);
  const segments = planSegments(request, errors);
  const flags = await planFlags(request, { environments, errors });
  if (mode === 'replace') {
    const stated = new Set(document.flags?.map((flag) => flag.key));
    for (const [key, states] of reading.flags) {
      const [state] = states.values();
      if (!stated.has(key) && state?.status !== 'archived') {
        flags.steps.push({ kind: 'archive', key, before: states, after: states });
      }
    }
    const kept = new Set(document.segments?.map((segment) => segment.key));
    for (const { key } of reading.segments) if (!kept.has(key)) notes.push(`segment-kept=${key}`);
  }
  checkTogether(reading, flags.steps, errors);
  const keysOf = (kind: FlagStep['kind']) =>
    flags.steps.filter((step) => step.kind === kind).map((step) => step.key);
  const none = { environments: [], segments: [] };
  const rules = await warnOfSteps(request, flags.steps);
  const warnings = limitWarnings([...notes.map(noteWarning), ...rules]);
  return {
    summary: {
      create: {
        environments: environments.map((one) => one.key),
        segments: segments.created.map((one) => one.key),
        flags: keysOf('create'),
      },
      update: {
        environments: [],
        segments: segments.changed.map(({ segment }) => segment.key),
        flags: keysOf('update'),
      },
      archive: { ...none, flags: keysOf('archive') },
      unchanged: flags.unchanged + segments.unchanged,
      errors: errors.slice(0, ERRORS_MAX),
      warnings,
    },
    environments,
    newSegments: segments.created,
    changedSegments: segments.changed,
    flags: flags.steps,
  };
}

function newEnvironments(
  { document, reading }: PlanRequest,
  errors: ImportError[],
  notes: string[],
): readonly DocumentEnvironment[] {
  const known = new Map(reading.environments.map((one) => [one.key, one]));
  const created: DocumentEnvironment[] = [];
  for (const environment of document.environments ?? []) {
    const existing = known.get(environment.key);
    if (existing === undefined) created.push(environment);
    else if (existing.type !== environment.type) notes.push(`environment-type-differs=${environment.key}`);
  }
  if (reading.environments.length + created.length > ENVIRONMENTS_MAX) {
    errors.push(limit('environments', ENVIRONMENTS_MAX));
  }
  return created;
}

function limit(path: string, maximum: number): ImportError {
  return { path, code: 'LIMIT_EXCEEDED', message: `would be more than ${maximum}`, details: { maximum } };
}

function planSegments({ document, reading, mode }: PlanRequest, errors: ImportError[]) {
  const known = new Map(reading.segments.map((segment) => [segment.key, segment]));
  const created: DocumentSegment[] = [];
  const changed: { id: string; segment: DocumentSegment }[] = [];
  let unchanged = 0;
  for (const [index, segment] of (document.segments ?? []).entries()) {
    const existing = known.get(segment.key);
    const patterns = createPatternAllowance(existing?.conditions);
    const conditions = attempt(errors, { path: `segments.${index}`, key: segment.key }, () =>
      checkConditions(segment.conditions, { field: 'conditions', patterns }),
    );
    if (existing === undefined) created.push(segment);
    else if (mode === 'create_only' || isSameSegment(existing, { ...segment, conditions: conditions ?? [] }))
      unchanged++;
    else changed.push({ id: existing.id, segment });
  }
  if (reading.segments.length + created.length > SEGMENTS_MAX) errors.push(limit('segments', SEGMENTS_MAX));
  return { created, changed, unchanged };
}

function isSameSegment(
  { id: _id, key: _key, ...segment }: ProjectReading['segments'][number],
  wanted: Omit<DocumentSegment, 'conditions'> & { readonly conditions: unknown },
): boolean {
  return isDeepStrictEqual(segment, {
    name: wanted.name ?? wanted.key,
    description: wanted.description ?? '',
    conditions: wanted.conditions,
    included: wanted.included === undefined ? null : distinct(wanted.included),
    excluded: distinct(wanted.excluded ?? []),
    tags: distinct(wanted.tags ?? []),
  });
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

async function planFlags(
  request: PlanRequest,
  {
    environments,
    errors,
  }: { readonly environments: readonly DocumentEnvironment[]; readonly errors: ImportError[] },
): Promise<{ steps: FlagStep[]; unchanged: number }> {
  const { document, reading, mode } = request;
  const steps: FlagStep[] = [];
  const slice = createTimeSlice();
  let unchanged = 0;
  const scope = {
    ...request,
    // Until they are made, new environments are known by their keys.
    environments: [
      ...reading.environments,
      ...environments.map(({ key, type }) => ({ id: `new:${key}`, key, type })),
    ],
    segmentKeys: new Set([
      ...reading.segments.map((segment) => segment.key),
      ...(document.segments ?? []).map((segment) => segment.key),
    ]),
  };
  for (const [index, flag] of (document.flags ?? []).entries()) {
    if (slice.isOver()) await slice.yieldToOthers();
    const before = reading.flags.get(flag.key) ?? new Map<string, FlagState>();
    if (before.size > 0 && mode === 'create_only') {
      unchanged++;
      continue;
    }
    const after = attempt(errors, { path: `flags.${index}`, key: flag.key }, () => {
      if (before.size === 0) requireFreeKey(reading, flag);
      return wantedStates(flag, before, scope);
    });
    if (after === undefined) continue;
    if (before.size === 0) steps.push({ kind: 'create', key: flag.key, before, after });
    else if ([...after].every(([id, state]) => isUntouched(before.get(id), state))) unchanged++;
    else steps.push({ kind: 'update', key: flag.key, before, after });
  }
  const created = steps.filter((step) => step.kind === 'create').length;
  if (reading.flags.size + created > FLAGS_MAX) errors.push(limit('flags', FLAGS_MAX));
  return { steps, unchanged };
}

/** In an environment that is still to be made a flag is off: what differs from that is a change. */
function isUntouched(before: FlagState | undefined, after: FlagState): boolean {
  if (before !== undefined) return isSameState(before, after);
  return !after.enabled && after.rules.length === 0 && after.prerequisites.length === 0;
}

function requireFreeKey({ reservedKeys }: ProjectReading, { key }: DocumentFlag): void {
  if (reservedKeys.has(key))
    throw new ApiError('FLAG_KEY_CONFLICT', { details: { key, reason: 'reserved' } });
}

function attempt<T>(
  errors: ImportError[],
  place: { path: string; key: string },
  act: () => T,
): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, details } = error;
    const field = typeof details['field'] === 'string' ? `.${details['field']}` : '';
    errors.push({ ...place, path: `${place.path}${field}`, code, message, details });
    return undefined;
  }
}

/** What only all flags of an environment together can tell: that prerequisites exist and make no cycle. */
function checkTogether(reading: ProjectReading, steps: readonly FlagStep[], errors: ImportError[]): void {
  const final = new Map<string, ReadonlyMap<string, FlagState>>(reading.flags);
  for (const step of steps) {
    if (step.kind === 'archive') final.delete(step.key);
    else final.set(step.key, step.after);
  }
  const variations = new Map(
    [...final].map(([key, states]) => {
      const [state] = states.values();
      const isThere = state !== undefined && state.status !== 'archived';
      return [key, new Set(isThere ? state.variations.map((one) => one.key) : [])] as const;
    }),
  );
  const stated = new Set(steps.map((step) => step.key));
  const environmentIds = new Set([...final.values()].flatMap((states) => [...states.keys()]));
  for (const environmentId of environmentIds) {
    const graph = new Map<string, readonly string[]>();
    for (const [key, states] of final) {
      const state = states.get(environmentId);
      if (state === undefined || state.prerequisites.length === 0) {
        graph.set(key, []);
        continue;
      }
      graph.set(
        key,
        state.prerequisites.map((one) => one.flag_key),
      );
      for (const { flag_key, variation } of state.prerequisites) {
        if (variations.get(flag_key)?.has(variation) || (!stated.has(key) && !stated.has(flag_key))) continue;
        const code = stated.has(key) ? 'PREREQUISITE_UNKNOWN' : 'VARIATION_IN_USE';
        const details = { flag_key, variation, environment_id: environmentId };
        errors.push({ path: 'flags', key, code, message: 'waits for what is not there', details });
      }
    }
    const { cyclic, tooDeep } = checkGraph(graph);
    const found = (keys: readonly string[], code: string, message: string): void => {
      const concerned = keys.filter((key) => stated.has(key));
      if (concerned.length === 0) return;
      errors.push({
        path: 'flags',
        code,
        message,
        details: { flags: concerned, environment_id: environmentId },
      });
    };
    found(cyclic, 'PREREQUISITE_CYCLE', 'the prerequisites form a cycle');
    found(tooDeep, 'PREREQUISITE_DEPTH', 'the chain of prerequisites is too deep');
  }
}

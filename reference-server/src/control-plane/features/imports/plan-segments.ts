import { isDeepStrictEqual } from 'node:util';
import { SEGMENTS_MAX } from '../segments/segment-state.ts';
import { checkConditions } from '../targeting/check-conditions.ts';
import { createPatternAllowance } from '../targeting/pattern-allowance.ts';
import type { DocumentSegment } from './document.ts';
import { collectErrors, type ImportError, limitError } from './import-errors.ts';
import type { ImportSteps, PlanRequest, ProjectState } from './import-steps.ts';

export interface SegmentSteps {
  readonly created: ImportSteps['newSegments'];
  readonly changed: ImportSteps['changedSegments'];
  readonly unchanged: number;
}

/** Compares the segments of a document with those of the project. Adds the faults of the document's segments to `errors`. */
export function planSegments({ document, project, mode }: PlanRequest, errors: ImportError[]): SegmentSteps {
  const known = new Map(project.segments.map((segment) => [segment.key, segment]));
  const created: DocumentSegment[] = [];
  const changed: { id: string; segment: DocumentSegment }[] = [];
  let unchanged = 0;
  for (const [index, segment] of (document.segments ?? []).entries()) {
    const existing = known.get(segment.key);
    const patterns = createPatternAllowance(existing?.conditions);
    const conditions = collectErrors(errors, { path: `segments.${index}`, key: segment.key }, () =>
      checkConditions(segment.conditions, { field: 'conditions', patterns }),
    );
    if (existing === undefined) created.push(segment);
    else if (mode === 'create_only' || isSameSegment(existing, { ...segment, conditions: conditions ?? [] }))
      unchanged++;
    else changed.push({ id: existing.id, segment });
  }
  if (project.segments.length + created.length > SEGMENTS_MAX) {
    errors.push(limitError('segments', SEGMENTS_MAX));
  }
  return { created, changed, unchanged };
}

function isSameSegment(
  { id: _id, key: _key, ...segment }: ProjectState['segments'][number],
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

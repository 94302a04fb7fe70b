import type { operations } from '@flagsvc/openapi';
import type { Changes } from '../api/types.ts';

type Body = operations['createImport']['requestBody']['content']['application/json'];
export type ImportRecord = operations['getImport']['responses']['200']['content']['application/json']['data'];
export type ImportFormat = ImportRecord['format'];
export type ImportMode = ImportRecord['mode'];
export type ImportFault = ImportRecord['plan']['errors'][number];

/** The server reads no larger documents. */
export const BYTES_MAX = 10 * 1024 * 1024;

export interface ImportFile {
  readonly name: string;
  readonly bytes: number;
  readonly text: string;
}

/** What a person chose for an import. */
export interface ImportDraft {
  readonly file: ImportFile | undefined;
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  /** Keys of the environments that a file of another product is imported into. */
  readonly environments: readonly string[];
  readonly comment: string;
}

export const EMPTY_DRAFT: ImportDraft = {
  file: undefined,
  format: 'flagsvc',
  mode: 'merge',
  environments: [],
  comment: '',
};

/** The body for the API. */
export function bodyOf({ file, format, mode, environments, comment }: ImportDraft): Body {
  return {
    format,
    mode,
    document: file?.text ?? '',
    ...(format !== 'flagsvc' && environments.length > 0 && { environment_keys: [...environments] }),
    ...(comment.trim() !== '' && { comment: comment.trim() }),
  };
}

interface OtherProduct {
  readonly apiVersion?: unknown;
  readonly flags?: unknown;
  readonly items?: unknown;
  readonly features?: unknown;
  readonly featureStrategies?: unknown;
}

/** Which product wrote a file, as far as its form says it. Ours names its version, or is YAML. */
export function formatOf(text: string): ImportFormat {
  try {
    const { apiVersion, flags, items, features, featureStrategies } = (JSON.parse(text) ??
      {}) as OtherProduct;
    if (apiVersion !== undefined) return 'flagsvc';
    if (Array.isArray(items)) return 'launchdarkly';
    if (featureStrategies !== undefined || has(features, 'strategies')) return 'unleash';
    if (features !== undefined) return 'growthbook';
    if (has(flags, 'variations')) return Array.isArray(flags) ? 'flagsvc' : 'launchdarkly';
    return typeof flags === 'object' && flags !== null && !Array.isArray(flags) ? 'flagd' : 'flagsvc';
  } catch {
    return 'flagsvc';
  }
}

/** Whether one of the things in a list or a map has such a field. */
const has = (values: unknown, field: string): boolean =>
  Object.values(values ?? {}).some((one) => typeof one === 'object' && one !== null && field in one);

/** One change of a dry run. */
export interface PlannedChange {
  readonly action: string;
  readonly resource: {
    readonly type: string;
    readonly id: string;
    readonly key: string | null;
    readonly environment_id: string | null;
  } | null;
  readonly changes: Changes;
  readonly gate: {
    readonly allowed: boolean;
    readonly code: string | null;
    readonly message: string | null;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** The changes of a dry run, without the one of the import itself. Refused ones first. */
export function plannedChanges(answer: unknown): readonly PlannedChange[] {
  const plan = (answer as { data?: { plan?: unknown } } | undefined)?.data?.plan;
  const all = (Array.isArray(plan) ? plan : [plan]).filter(Boolean) as readonly PlannedChange[];
  return all
    .filter(({ action }) => !action.startsWith('import.'))
    .toSorted((one, other) => Number(one.gate.allowed) - Number(other.gate.allowed));
}

/** The faults in the answer to a document that cannot be read at all. */
export function faultsOf(details: Readonly<Record<string, unknown>>): readonly ImportFault[] {
  const { errors } = details;
  return Array.isArray(errors) ? (errors as readonly ImportFault[]) : [];
}

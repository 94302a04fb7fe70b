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
  /** Keys of the environments that a flagd file is imported into. */
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
    ...(format === 'flagd' && { environment_keys: [...environments] }),
    ...(comment.trim() !== '' && { comment: comment.trim() }),
  };
}

/** A flagd file is JSON with an object of flags; ours has a list, or is YAML. */
export function formatOf(text: string): ImportFormat {
  try {
    const value: unknown = JSON.parse(text);
    const flags = (value as { flags?: unknown } | null)?.flags;
    return typeof flags === 'object' && flags !== null && !Array.isArray(flags) ? 'flagd' : 'flagsvc';
  } catch {
    return 'flagsvc';
  }
}

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

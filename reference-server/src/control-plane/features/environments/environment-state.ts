import type { EnvironmentTable } from '../../../storage/tables.ts';
import type { EnvironmentRow } from './environment-store.ts';

export const ENVIRONMENT_TYPES = ['development', 'staging', 'production'] as const;
export type EnvironmentType = (typeof ENVIRONMENT_TYPES)[number];

/** Maximum number of environments in a project, archived ones included. */
export const ENVIRONMENTS_MAX = 200;

const COLORS: Readonly<Record<EnvironmentType, string>> = {
  development: '#2f9e44',
  staging: '#f08c00',
  production: '#e03131',
};

/** An environment as the API shows it. */
export interface EnvironmentRecord {
  readonly id: string;
  readonly project_id: string;
  readonly key: string;
  readonly name: string;
  readonly type: EnvironmentType;
  readonly color: string;
  readonly position: number;
  readonly critical: boolean;
  readonly require_comment: boolean;
  readonly confirm_changes: boolean;
  readonly record_contexts: boolean;
  readonly ruleset_version: number;
  readonly etag: string | null;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived_at: string | null;
}

/**
 * Settings of an environment. An absent setting keeps its value; in a new environment, it gets the default of the type.
 */
export interface EnvironmentInput {
  readonly name?: string | undefined;
  readonly type?: EnvironmentType | undefined;
  readonly color?: string | undefined;
  readonly position?: number | undefined;
  /** Default true for production. */
  readonly critical?: boolean | undefined;
  readonly require_comment?: boolean | undefined;
  /** Default: the value of `critical`. */
  readonly confirm_changes?: boolean | undefined;
  /** Default false, also for a clone. Changing it to false deletes the recorded contexts. */
  readonly record_contexts?: boolean | undefined;
}

export type NewEnvironment = EnvironmentInput & {
  readonly key: string;
  readonly name: string;
  readonly type: EnvironmentType;
};

export type CloneInput = Omit<NewEnvironment, 'type'> & {
  /** Default: the type of the source. */
  readonly type?: EnvironmentType | undefined;
  /** The parts to copy in addition to the settings; default the flags. */
  readonly include?: readonly 'flags'[] | undefined;
};

/** The row of a new environment, with the defaults of its type. */
export function environmentRow(
  input: NewEnvironment,
  of: { id: string; organizationId: string; projectId: string; position: number; at: string },
): EnvironmentTable {
  const critical = (input.critical ?? input.type === 'production') ? 1 : 0;
  return {
    organization_id: of.organizationId,
    project_id: of.projectId,
    id: of.id,
    key: input.key,
    name: input.name,
    type: input.type,
    color: COLORS[input.type],
    position: of.position,
    critical,
    require_comment: 0,
    confirm_changes: critical,
    record_contexts: 0,
    ...columnsOf(input),
    revision: 1,
    created_at: of.at,
    updated_at: of.at,
    archived_at: null,
  };
}

/**
 * The input that creates a clone. Given fields override those of the source; `color`, `critical` and `confirm_changes`
 * are copied only when the clone has the same type.
 */
export function cloneInput(source: EnvironmentTable, given: Omit<CloneInput, 'include'>): NewEnvironment {
  const type = source.type as EnvironmentType;
  const ofType = {
    color: source.color,
    critical: source.critical === 1,
    confirm_changes: source.confirm_changes === 1,
  };
  const settings = { require_comment: source.require_comment === 1 };
  const isSameType = (given.type ?? type) === type;
  return { ...settings, ...(isSameType && ofType), ...given, type: given.type ?? type };
}

export function columnsOf(input: EnvironmentInput): Partial<EnvironmentTable> {
  const { name, type, color, position, critical } = input;
  const { require_comment, confirm_changes, record_contexts } = input;
  return {
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type }),
    ...(color !== undefined && { color }),
    ...(position !== undefined && { position }),
    ...(critical !== undefined && { critical: critical ? 1 : 0 }),
    ...(require_comment !== undefined && { require_comment: require_comment ? 1 : 0 }),
    ...(confirm_changes !== undefined && { confirm_changes: confirm_changes ? 1 : 0 }),
    ...(record_contexts !== undefined && { record_contexts: record_contexts ? 1 : 0 }),
  };
}

export function resourceOf(row: EnvironmentTable) {
  return {
    type: 'environment',
    id: row.id,
    key: row.key,
    projectId: row.project_id,
    environmentId: row.id,
  };
}

/** The fields that the audit log compares. */
export function fieldsOf(row: EnvironmentTable) {
  const { key, name, type, color, position } = row;
  return {
    key,
    name,
    type,
    color,
    position,
    critical: row.critical === 1,
    require_comment: row.require_comment === 1,
    confirm_changes: row.confirm_changes === 1,
    record_contexts: row.record_contexts === 1,
    archived_at: row.archived_at,
  };
}

export function toRecord(row: EnvironmentRow): EnvironmentRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    ...fieldsOf(row),
    type: row.type as EnvironmentType,
    ruleset_version: row.ruleset_version ?? 0,
    etag: row.etag,
    revision: row.revision,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

import type { Environment, EnvironmentType } from '../api/types.ts';
import { keyOf } from '../app/key-of.ts';
import type { DiffLine } from '../ui/diff.tsx';
import { t } from './messages.ts';

/** The settings that a person edits. */
export type EnvironmentFields = Pick<
  Environment,
  'name' | 'type' | 'color' | 'critical' | 'confirm_changes' | 'require_comment' | 'record_contexts'
>;

/** A new environment. */
export interface NewEnvironment extends EnvironmentFields {
  /** Empty: made from the name. */
  readonly key: string;
  /** Id of the environment that is copied; undefined for none. */
  readonly sourceId: string | undefined;
  readonly copiesFlags: boolean;
}

const COLORS: Readonly<Record<EnvironmentType, string>> = {
  development: '#2f9e44',
  staging: '#f08c00',
  production: '#e03131',
};

export function fieldsOf(environment: Environment): EnvironmentFields {
  const { name, type, color, critical, confirm_changes, require_comment, record_contexts } = environment;
  return { name, type, color, critical, confirm_changes, require_comment, record_contexts };
}

/** A new environment with the settings of another, or with those of its type. */
export function newEnvironment(source: Environment | undefined): NewEnvironment {
  const type = source?.type ?? 'development';
  return {
    ...ofType(type),
    require_comment: false,
    ...(source && fieldsOf(source)),
    name: '',
    key: '',
    record_contexts: false,
    sourceId: source?.id,
    copiesFlags: true,
  };
}

/** What a type suggests. */
export function ofType(type: EnvironmentType) {
  const isProduction = type === 'production';
  return { type, color: COLORS[type], critical: isProduction, confirm_changes: isProduction };
}

export function bodyOfNew(draft: NewEnvironment) {
  const { sourceId: _, copiesFlags: __, name, key, ...settings } = draft;
  return { ...settings, name: name.trim(), key: key.trim() || keyOf(name) };
}

const WHAT: Readonly<Record<keyof EnvironmentFields, string>> = {
  name: t.form.name,
  type: t.form.type,
  color: t.form.color,
  critical: t.form.critical,
  confirm_changes: t.form.confirm_changes,
  require_comment: t.form.require_comment,
  record_contexts: t.form.record_contexts,
};

/** What an edit changes in one field, in words. */
export function environmentLine(
  field: keyof EnvironmentFields,
  from: EnvironmentFields,
  to: EnvironmentFields,
): DiffLine {
  return { id: field, what: WHAT[field], from: words(field, from), to: words(field, to) };
}

function words(field: keyof EnvironmentFields, fields: EnvironmentFields): string {
  if (field === 'type') return t.types[fields.type];
  if (field === 'color') return t.colors[fields.color] ?? fields.color;
  const value = fields[field];
  return typeof value === 'boolean' ? (value ? t.form.on : t.form.off) : value;
}

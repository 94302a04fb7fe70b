import type { components } from '@flagsvc/openapi';
import type { Project } from '../api/types.ts';

type StalePolicy = Project['settings']['stale_policy'];
type Settings = Omit<Project['settings'], 'stale_policy'>;
export const DAY_FIELDS = ['rolled_out_days', 'single_variation_days', 'not_evaluated_days'] as const;

/** The fields of the page, flat. */
export type ProjectFields = Pick<Project, 'name' | 'description'> &
  Settings &
  Pick<StalePolicy, (typeof DAY_FIELDS)[number] | 'auto_archive_after_days'>;
/** What a person changed, and only that, so that it stays when somebody else saves other fields. */
export type ProjectDraft = Partial<ProjectFields>;

export function fieldsOf({ name, description, settings }: Project): ProjectFields {
  const { stale_policy: policy, ...others } = settings;
  const { rolled_out_days, single_variation_days, not_evaluated_days, auto_archive_after_days } = policy;
  return {
    name,
    description,
    ...others,
    rolled_out_days,
    single_variation_days,
    not_evaluated_days,
    auto_archive_after_days,
  };
}

/** The draft without the fields that equal the saved ones. */
export function changedFields(saved: ProjectFields, draft: ProjectDraft): ProjectDraft {
  const changed = Object.entries(draft).filter(
    ([field, value]) => value !== saved[field as keyof ProjectFields],
  );
  return Object.fromEntries(changed);
}

/** The body of the API for some of the fields. */
export function bodyOfProject(fields: ProjectDraft): components['schemas']['UpdateProjectBody'] {
  const {
    name,
    description,
    rolled_out_days,
    single_variation_days,
    not_evaluated_days,
    auto_archive_after_days,
    ...settings
  } = fields;
  const policy = defined({
    rolled_out_days,
    single_variation_days,
    not_evaluated_days,
    auto_archive_after_days,
  });
  const nested = { ...settings, ...(Object.keys(policy).length > 0 && { stale_policy: policy }) };
  return {
    ...defined({ name: name?.trim(), description }),
    ...(Object.keys(nested).length > 0 && { settings: nested }),
  };
}

/** The server's errors, which name fields by their path, by the field of the page. */
export const fieldOfPath = (path: string): string => path.split('.').at(-1)!;

function defined<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

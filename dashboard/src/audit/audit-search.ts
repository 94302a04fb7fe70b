import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

export const RESOURCE_TYPES = [
  'flag',
  'segment',
  'environment',
  'project',
  'freeze_window',
  'break_glass',
  'scheduled_change',
  'api_key',
  'webhook',
  'member',
  'service_account',
] as const;

/** Things of the organization, which belong to no project. Only admins see their changes. */
export const OF_ORGANIZATION: ReadonlySet<string | undefined> = new Set<(typeof RESOURCE_TYPES)[number]>([
  'freeze_window',
  'break_glass',
  'member',
  'service_account',
]);

/** The state of the page in its address. */
export interface AuditSearch {
  readonly q: string | undefined;
  readonly of: (typeof RESOURCE_TYPES)[number] | undefined;
  /** Id of the entry that is open. */
  readonly entry: string | undefined;
}

export function parseAuditSearch(raw: SearchParams): AuditSearch {
  return { q: readText(raw['q']), of: readChoice(raw['of'], RESOURCE_TYPES), entry: readText(raw['entry']) };
}

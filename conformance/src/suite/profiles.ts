import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of the suite that an implementation can pass and name. A larger profile contains the smaller ones. */
export interface Profile {
  readonly name: string;
  /** What an implementation of the profile does. */
  readonly title: string;
  /** Whether a case of this group belongs to the profile. */
  contains(group: string): boolean;
}

interface ListedProfile {
  readonly name: string;
  readonly title: string;
  readonly includes?: string;
  readonly groups: readonly string[];
}

/** The profiles of `profiles.json`, smallest first. Throws if one includes a profile that is not listed before it. */
export const loadProfiles = (suiteDirectory: string): readonly Profile[] => {
  const { profiles } = JSON.parse(readFileSync(join(suiteDirectory, 'profiles.json'), 'utf8')) as {
    profiles: readonly ListedProfile[];
  };
  const found: Profile[] = [];
  for (const { name, title, includes, groups } of profiles) {
    const smaller = includes === undefined ? undefined : found.find((profile) => profile.name === includes);
    if (includes !== undefined && !smaller) {
      throw new Error(`profiles.json: ${name} includes ${includes}, which is not listed before it`);
    }
    found.push({
      name,
      title,
      contains: (group) =>
        groups.some((prefix) => group === prefix || group.startsWith(`${prefix}/`)) ||
        smaller?.contains(group) === true,
    });
  }
  return found;
};

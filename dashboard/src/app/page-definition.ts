import type { ComponentType } from 'react';
import type { IconName } from '../ui/icon-paths.ts';
import type { Scope } from './scope/use-scope.ts';

/**
 * Where a page stands in the navigation. `settings`, `organization`, `personal` and `installation`: in the second
 * navigation of the settings; the path begins with `settings/` for settings of the project and its organization, with
 * `/settings/` for the others. `none`: reached from another page.
 */
export type Section = 'main' | 'operate' | 'settings' | 'organization' | 'personal' | 'installation' | 'none';

/** One page of the dashboard. Each feature lists its own in `src/<feature>/pages.ts`. */
export interface PageDefinition {
  readonly id: string;
  /**
   * Below `/o/{organization}/p/{project}/`: `flags`, `flags/$flag`; empty for the page that opens first. With a slash at its start, an address that names no
   * project: `/settings/profile`. Below `/` for account pages: `reset-password`.
   */
  readonly path: string;
  /** `project`: inside of the shell. `account`: outside, for people who are not signed in. Default `project`. */
  readonly place?: 'project' | 'account';
  /** A name of `/api/v1/instance/capabilities`; the page exists only where it is available. */
  readonly capability?: string;
  readonly section: Section;
  /** Small numbers first. */
  readonly order: number;
  readonly label: string;
  readonly icon: IconName;
  /** Loads the hook that returns the number or word beside the label, undefined for nothing. */
  readonly loadBadge?: () => Promise<UseBadge>;
  /** True shows it in the tab bar of phones; at most three pages. */
  readonly onPhone?: boolean;
  /** Two keys that open the page: `g f`. */
  readonly keys?: string;
  readonly load: () => Promise<ComponentType>;
}

export type UseBadge = (scope: Scope) => Badge | undefined;

export interface Badge {
  readonly text: string;
  readonly tone?: 'neutral' | 'warn' | 'bad';
}

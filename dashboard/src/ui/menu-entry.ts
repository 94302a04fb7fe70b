import type { IconName } from './icon-paths.ts';

/** One action of a menu. */
export interface MenuEntry {
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly icon?: IconName | undefined;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly isCurrent?: boolean;
  readonly href?: string | undefined;
  readonly run?: (() => void) | undefined;
}

export interface MenuGroup {
  readonly title?: string;
  readonly entries: readonly MenuEntry[];
}

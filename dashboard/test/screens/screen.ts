import type { Page } from 'playwright-core';
import type { Look } from '../harness/browser.ts';
import type { PersonKey } from '../shop/people.ts';

/** One picture of a page, taken at each width and in each theme. A feature lists its own in `<feature>.screens.ts`. */
export interface Screen {
  /** The file is `<name>-<width>-<theme>.png`. */
  readonly name: string;
  /** Below the project; with a slash at its start, below the origin, and without a session unless `as` is given. */
  readonly path: string;
  /** Default `admin`. */
  readonly as?: PersonKey;
  /** Brings the page into the state of the picture: opens a dialog, types, waits. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** True shows only what is on the screen, for dialogs and menus; by default the whole page. */
  readonly isViewport?: boolean;
  /** Default all. */
  readonly widths?: readonly number[];
  readonly look?: Omit<Look, 'width' | 'theme'>;
}

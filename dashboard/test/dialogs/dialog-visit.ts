import type { Page } from 'playwright-core';
import type { ShopBrowser } from '../harness/visit-shop.ts';
import type { PersonKey } from '../shop/people.ts';

/** How a test comes to one dialog, drawer or panel over a page. */
export interface DialogVisit {
  /** Where it stands in the source: its file below `src` without the extension, and its component. */
  readonly source: string;
  /** Default `admin`. */
  readonly as?: PersonKey;
  readonly path: string;
  /** Arranges what the page needs, before it is opened. */
  readonly arrange?: (at: ShopBrowser) => Promise<unknown>;
  /** Names of buttons, links and menu items to press in turn. None: the address opens the dialog. */
  readonly press?: readonly (string | RegExp)[];
  /** Between the page and the first press. */
  readonly prepare?: (page: Page, at: ShopBrowser) => Promise<unknown>;
  /** Keys that open it, in the place of `press`. */
  readonly keys?: string;
  /** Rules of axe that do not fit here. */
  readonly ignored?: readonly string[];
  /** True for a dialog that only its own buttons close. */
  readonly stays?: boolean;
  /** False when what opened it is gone or can no longer be used. */
  readonly returns?: boolean;
}

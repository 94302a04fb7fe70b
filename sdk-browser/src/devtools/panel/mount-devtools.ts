import { createActivityView } from './activity-view.ts';
import { createContextEditor } from './context-editor.ts';
import type { DevtoolsClient } from './describe-flag.ts';
import { button, element, oncePerFrame, setText } from './elements.ts';
import { createFlagList } from './flag-list.ts';
import { parseShortcut } from './shortcut.ts';
import { addStyle } from './style.ts';
import type { Tab } from './tab.ts';

/** Options of `mountDevtools`. */
export interface DevtoolsOptions {
  /** Opens and closes the panel: modifiers and one letter or digit. Default `Alt+Shift+F`. */
  readonly shortcut?: string | undefined;
  /** Shows a button in the corner, with the number of overrides. Default true. */
  readonly button?: boolean | undefined;
  /** Default: what the visitor's system prefers. */
  readonly theme?: 'light' | 'dark' | undefined;
}

/** The mounted panel. */
export interface Devtools {
  open(): void;
  close(): void;
  /** Removes the panel and its listeners. Overrides stay. */
  unmount(): void;
}

/** Whether the panel is open is kept here for the tab of the browser, so that it stays open after a reload. */
const OPEN_NAME = 'flagsvc-devtools';

const remember = (tab: string | null) => {
  try {
    if (tab === null) sessionStorage.removeItem(OPEN_NAME);
    else sessionStorage.setItem(OPEN_NAME, tab);
  } catch {
    // Blocked storage: the panel is closed after a reload.
  }
};
const remembered = () => {
  try {
    return sessionStorage.getItem(OPEN_NAME);
  } catch {
    return null;
  }
};

const createTabs = (tabs: readonly Tab[], onSelect: (tab: Tab) => void) => {
  const body = element('div', { class: 'body', role: 'tabpanel', tabindex: '-1' });
  const select = (tab: Tab) => {
    for (const [at, item] of buttons.entries()) {
      const isSelected = tabs[at] === tab;
      item.setAttribute('aria-selected', String(isSelected));
      item.tabIndex = isSelected ? 0 : -1;
    }
    body.setAttribute('aria-label', tab.name);
    body.replaceChildren(tab.root);
    onSelect(tab);
  };
  const buttons = tabs.map((tab) => button(tab.name, () => select(tab), { role: 'tab' }));
  const list = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' }, ...buttons);
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const at = buttons.findIndex((item) => item.tabIndex === 0);
    const next = buttons[(at + step + buttons.length) % buttons.length]!;
    next.click();
    next.focus();
  });
  return { list, body, select };
};

/** The elements of the panel, closed. */
const createPanel = (client: DevtoolsClient, onClose: () => void) => {
  const tabs = [createFlagList(client), createContextEditor(client), createActivityView(client)];
  let current = tabs[0]!;
  const status = element('span', { class: 'status' });
  const views = createTabs(tabs, (tab) => {
    current = tab;
    remember(tab.name);
    tab.update();
  });
  const close = button('Close', onClose, { 'aria-keyshortcuts': 'Escape' });
  const root = element(
    'section',
    { class: 'panel', role: 'dialog', 'aria-label': 'Feature flags', hidden: true },
    element('header', {}, element('h2', {}, 'Feature flags'), status, close),
    views.list,
    views.body,
  );
  return {
    root,
    select: (name: string | null) => views.select(tabs.find((tab) => tab.name === name) ?? tabs[0]!),
    update() {
      const { rulesetVersion } = client.stats();
      const version = rulesetVersion === null ? '' : ` · ruleset ${rulesetVersion}`;
      setText(status, `${client.status()} · ${client.context().user_key ?? ''}${version}`);
      current.update();
    },
  };
};

/** Does nothing, on servers and in workers. */
const UNMOUNTED: Devtools = { open() {}, close() {}, unmount() {} };

/**
 * Adds a panel to the page that shows every flag with its value, reason, rule and source, sets overrides, changes the
 * user, and logs reads and events. It sends nothing to the server. Takes the client that `withOverrides` returned.
 */
export const mountDevtools = (client: DevtoolsClient, options: DevtoolsOptions = {}): Devtools => {
  if (!client?.overrides)
    throw new TypeError('flagsvc: mountDevtools needs the client that withOverrides returned');
  const shortcut = parseShortcut(options.shortcut ?? 'Alt+Shift+F');
  if (typeof document === 'undefined' || !document.documentElement) return UNMOUNTED;
  const host = element('flagsvc-devtools' as 'div', { 'data-theme': options.theme });
  const shadow = host.attachShadow({ mode: 'open' });
  addStyle(shadow);
  let focused: Element | null = null;
  const close = () => {
    panel.root.hidden = true;
    launcher.hidden = options.button === false;
    remember(null);
    if (focused instanceof HTMLElement) focused.focus();
    else launcher.focus();
  };
  const open = (tab: string | null = null) => {
    focused = document.activeElement === document.body ? null : document.activeElement;
    panel.root.hidden = false;
    launcher.hidden = true;
    panel.select(tab);
    panel.update();
  };
  const openAndFocus = () => {
    open();
    shadow.querySelector<HTMLElement>('[type=search]')!.focus();
  };
  const panel = createPanel(client, close);
  const launcher = button('', openAndFocus, { class: 'launcher', 'aria-label': 'Feature flags' });
  launcher.hidden = options.button === false;
  const update = oncePerFrame(() => {
    const count = Object.keys(client.overrides.values()).length;
    launcher.replaceChildren('Flags', ...(count ? [' ', element('b', {}, `${count} overridden`)] : []));
    launcher.setAttribute('aria-label', `Feature flags${count ? `, ${count} overridden` : ''}`);
    if (!panel.root.hidden) panel.update();
  });
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !panel.root.hidden && event.composedPath().includes(panel.root)) close();
    else if (shortcut.matches(event)) {
      event.preventDefault();
      if (panel.root.hidden) openAndFocus();
      else close();
    }
  };
  addEventListener('keydown', onKey);
  // Every change of the client is an entry of the log.
  const stop = client.overrides.log.watch(update);
  shadow.append(launcher, panel.root);
  document.documentElement.append(host);
  update();
  const tab = remembered();
  if (tab !== null) open(tab);
  return {
    open: openAndFocus,
    close,
    unmount() {
      stop();
      removeEventListener('keydown', onKey);
      host.remove();
    },
  };
};

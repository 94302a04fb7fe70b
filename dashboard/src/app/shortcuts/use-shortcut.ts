import { useEffect, useRef } from 'react';
import { createShortcuts, type Shortcut, type Shortcuts } from './shortcuts.ts';

/** The shortcuts of the page. */
export const shortcuts: Shortcuts = createShortcuts();

/** Adds a shortcut while the component is on the screen; `undefined` adds none. */
export function useShortcut(shortcut: Shortcut | undefined): void {
  const latest = useRef(shortcut);
  latest.current = shortcut;
  const { keys, label, whileTyping } = shortcut ?? {};
  useEffect(() => {
    if (keys === undefined || label === undefined) return;
    return shortcuts.add({ keys, label, whileTyping, run: () => latest.current?.run() });
  }, [keys, label, whileTyping]);
}

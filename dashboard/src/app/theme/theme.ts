import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'flagsvc.theme';
const ORDER: readonly Theme[] = ['system', 'light', 'dark'];

/** The chosen theme, kept on this device, and the way to choose another. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  return [
    theme,
    (next) => {
      applyTheme(next);
      setTheme(next);
    },
  ];
}

/** System, light, dark, and system again. */
export const nextTheme = (theme: Theme): Theme => ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length]!;

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage is blocked: the theme holds for this page.
  }
}

/** A keyboard shortcut such as `Alt+Shift+F`. */
export interface Shortcut {
  matches(event: KeyboardEvent): boolean;
}

const MODIFIERS = { alt: 'altKey', ctrl: 'ctrlKey', meta: 'metaKey', shift: 'shiftKey' } as const;

/** Parses a shortcut of modifiers and one letter or digit. Throws a TypeError that shows a valid one. */
export const parseShortcut = (text: string): Shortcut => {
  const parts = text.toLowerCase().split('+');
  const key = parts.pop()!;
  const isValid =
    /^[a-z0-9]$/.test(key) && parts.length && parts.every((part) => Object.hasOwn(MODIFIERS, part));
  if (!isValid) throw new TypeError('flagsvc: option shortcut must be like Alt+Shift+F');
  // The code, because Alt changes the letter on some keyboards.
  const code = /\d/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`;
  return {
    matches: (event) =>
      event.code === code &&
      Object.entries(MODIFIERS).every(([name, field]) => event[field] === parts.includes(name)),
  };
};

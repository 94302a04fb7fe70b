/** One keyboard shortcut of the page on the screen. */
export interface Shortcut {
  /** `c`, `/`, `?`, `mod+k` (Ctrl, or Cmd on a Mac), `mod+enter`, or two keys in a row: `g f`. */
  readonly keys: string;
  /** What it does, for the list of shortcuts. */
  readonly label: string;
  readonly run: () => void;
  /** True works while typing too; the default is only for keys with `mod`. */
  readonly whileTyping?: boolean;
}

export interface Shortcuts {
  add(shortcut: Shortcut): () => void;
  list(): readonly Shortcut[];
  /** True when a shortcut ran. */
  handle(event: KeyboardEvent): boolean;
}

const SEQUENCE_MS = 1_000;

/** All shortcuts of the page. A later one with the same keys wins, so that a dialog can take over. */
export function createShortcuts(now: () => number = () => performance.now()): Shortcuts {
  const known: Shortcut[] = [];
  let pending = { key: '', at: Number.NEGATIVE_INFINITY };

  return {
    add(shortcut) {
      known.push(shortcut);
      return () => known.splice(known.indexOf(shortcut), 1);
    },
    list: () => [...new Map(known.map((one) => [one.keys, one])).values()],
    handle(event) {
      const key = nameOf(event);
      const sequence = now() - pending.at < SEQUENCE_MS ? `${pending.key} ${key}` : key;
      pending = { key, at: now() };
      const isTyping = isTextField(event.target);
      const fits = (keys: string, one: Shortcut): boolean =>
        one.keys === keys && (!isTyping || one.whileTyping === true || keys.startsWith('mod+'));
      const found = known.findLast((one) => fits(sequence, one)) ?? known.findLast((one) => fits(key, one));
      if (found === undefined || event.altKey) return false;
      pending = { key: '', at: Number.NEGATIVE_INFINITY };
      event.preventDefault();
      found.run();
      return true;
    },
  };
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key;
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'submit'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target.isContentEditable || target.role === 'textbox';
}

import { t } from './messages.ts';

const LENGTH_MAX = 32;

/** A value of a flag or a context on one line. Texts keep their quotes only where they would be invisible. */
export function shortValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? t.nothing);
  const shown = text.trim() === '' ? t.blank : text;
  return shown.length > LENGTH_MAX ? `${shown.slice(0, LENGTH_MAX)}…` : shown;
}

import { createProbe, type Probe } from './probe.ts';

/** The last pattern, kept because an import matches the keys of all its new flags against the same pattern. */
let last: { readonly pattern: string; readonly probe: Probe } | undefined;

/** Whether a text matches a pattern in the dialect of `matches_regex`. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (last?.pattern !== pattern) last = { pattern, probe: createProbe('matches_regex', pattern) };
  return last.probe(text);
}

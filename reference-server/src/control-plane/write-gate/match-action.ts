/** True when a pattern (`*`, `flag.*`, `flag.toggled`) includes the action. */
export function matchesAction(pattern: string, action: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('.*') ? action.startsWith(pattern.slice(0, -1)) : pattern === action;
}

import { invalid } from '../../http/errors.ts';
import { matchesAction } from './match-action.ts';

/** Throws VALIDATION_ERROR for patterns that match no existing action. */
export function requireKnownActions(
  field: string,
  patterns: readonly string[],
  actions: readonly string[],
): void {
  const faults = patterns.flatMap((pattern, index) =>
    actions.some((action) => matchesAction(pattern, action)) ? [] : [{ pattern, index }],
  );
  if (faults.length === 0) return;
  throw invalid(
    ...faults.map(({ pattern, index }) => {
      const noun = pattern.split('.')[0];
      const related = actions.filter((action) => action.startsWith(`${noun}.`));
      const known = related.length > 0 ? related : [...new Set(actions.map(nounOf))];
      return {
        field: `${field}.${index}`,
        location: 'body' as const,
        code: 'unknown',
        message: `must be *, or one of ${known.join(', ')}`,
      };
    }),
  );
}

function nounOf(action: string): string {
  return `${action.split('.')[0]}.*`;
}

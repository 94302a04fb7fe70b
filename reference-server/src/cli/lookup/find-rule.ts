import type { Flag } from '../client/document.ts';
import type { Rule } from '../input/condition-values.ts';
import { didYouMean } from '../input/nearest.ts';
import { CliError, EXIT } from '../output/errors.ts';
import { withCommands } from '../output/shell-line.ts';
import { commandLine } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';
import type { Target } from './find.ts';

/** The rule with this number, name or id. Throws RULE_NOT_FOUND with similar names, or a command that lists the rules. */
export function findRule(
  session: Session,
  target: Target,
  { flag, wanted }: { readonly flag: Flag; readonly wanted: string },
): Rule {
  const rules = flag.targeting_rules;
  const matching = rules.filter(({ id, name }) => id === wanted || name === wanted);
  if (matching.length === 1) return matching[0]!;
  const numbered = /^[1-9]\d*$/.test(wanted) ? rules[Number(wanted) - 1] : undefined;
  if (matching.length === 0 && numbered !== undefined) return numbered;
  const names = rules.map(({ name }) => name).filter((name) => name !== '');
  const place = `${flag.key} in ${target.environment.key}`;
  throw new CliError(
    matching.length === 0
      ? `Flag ${place} has no rule "${wanted}".`
      : `Flag ${place} has ${matching.length} rules named "${wanted}".`,
    {
      code: 'RULE_NOT_FOUND',
      exitCode: EXIT.notFound,
      hint:
        (matching.length === 0 ? didYouMean(wanted, names) : undefined) ??
        withCommands(
          'To see its rules with their numbers and ids:',
          commandLine(session, ['flags', 'get', flag.key], target),
        ),
    },
  );
}

/** Throws RULE_VARIATION_UNKNOWN, with similar keys, unless the flag has these variations. */
export function checkVariations({ key, variations }: Flag, wanted: readonly string[]): void {
  const keys = variations.map((one) => one.key);
  const unknown = wanted.find((one) => !keys.includes(one));
  if (unknown === undefined) return;
  throw new CliError(`Flag ${key} has no variation "${unknown}".`, {
    code: 'RULE_VARIATION_UNKNOWN',
    exitCode: EXIT.usage,
    hint: didYouMean(unknown, keys) ?? `Available: ${keys.join(', ')}.`,
  });
}

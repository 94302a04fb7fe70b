import type { OptionName } from '../input/options.ts';
import type { CommandSyntax, Invocation } from '../input/syntax.ts';
import type { Session } from './session.ts';

/** A command of the command line. */
export interface Command extends CommandSyntax {
  /** Returns the exit code; any other value means 0. Throws CliError. */
  readonly run: (session: Session, invocation: Invocation) => Promise<unknown>;
}

/** The options of every command that changes flags. */
export const WRITE_OPTIONS = ['comment', 'dry-run', 'break-glass'] as const satisfies readonly OptionName[];

import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config } from './config-variables.ts';

/** The parsed arguments of a command. */
export interface CommandInput {
  readonly positionals: readonly string[];
  /** By the names in the command's `options`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The running program. */
export interface Program {
  readonly version: string;
  /** The environment; only main.ts reads it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface CommandSyntax {
  /** The required arguments, such as `['<email>']`; default none. */
  readonly positionals?: readonly string[];
  /** Default none. */
  readonly options?: ParseArgsOptionsConfig;
  /** What it does, for `--help`: a phrase without a period. */
  readonly meaning: string;
}

/** A command that needs the configuration. */
interface ConfiguredCommand extends CommandSyntax {
  /** Runs it. A failure is written to standard error and sets the exit status. */
  run(config: Config, input: CommandInput): Promise<void>;
}

/** A command that needs no configuration. */
interface PlainCommand extends CommandSyntax {
  /** Its output. */
  print(input: CommandInput): string;
}

export type OperatorCommandName = 'check' | 'backup' | 'restore' | 'migrate-database';

/** A command on a whole installation, which `operate` runs. */
interface OperatorCommand extends CommandSyntax {
  readonly operates: OperatorCommandName;
}

/** A command `flagsvc-server <name>`. */
export type Command = ConfiguredCommand | PlainCommand | OperatorCommand;

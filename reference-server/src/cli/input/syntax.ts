import type { OptionName, OptionValues } from './options.ts';

/** A positional argument of a command. */
export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** True for a last argument that takes all further words. */
  readonly isMany?: boolean;
  /** The only accepted values. */
  readonly values?: readonly string[];
}

/** Everything needed to parse, document and complete a command. */
export interface CommandSyntax {
  /** The words after `flagsvc`, such as `flags toggle`. */
  readonly name: string;
  /** One word that runs the command too, such as `projects` for `projects list`. */
  readonly alias?: string;
  /** One line for lists of commands, without a full stop. */
  readonly summary: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly OptionName[];
  /** Summaries of options for this command's help; they replace the general ones. */
  readonly optionSummaries?: Partial<Readonly<Record<OptionName, string>>>;
  /** For this command, the only accepted values of these options; they replace the general ones. */
  readonly optionValues?: Partial<Readonly<Record<OptionName, readonly string[]>>>;
  /** Command lines without `flagsvc`. */
  readonly examples: readonly [string, ...string[]];
  /** Further sentences for the command's help. */
  readonly notes?: string;
}

/** The parsed arguments and options of one call. */
export interface Invocation {
  readonly args: readonly string[];
  readonly options: OptionValues;
}

import type { OptionName, OptionValues } from '../input/options.ts';
import type { Session } from './session.ts';

/** A word that a command takes in its place. */
export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** It is the last one and takes all that follows. */
  readonly isMany?: boolean;
  readonly values?: readonly string[];
}

/** What was typed, read. */
export interface Invocation {
  readonly args: readonly string[];
  readonly options: OptionValues;
}

/** One command: enough to run it, to explain it and to complete it. */
export interface Command {
  /** `flags toggle`. */
  readonly name: string;
  readonly summary: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly OptionName[];
  /** What options mean here, where that is not what they mean everywhere. */
  readonly says?: Partial<Readonly<Record<OptionName, string>>>;
  /** After `flagsvc`. */
  readonly examples?: readonly string[];
  /** Further sentences of its help. */
  readonly notes?: string;
  /** A number that it answers is the exit code; anything else is success. Throws CliError. */
  readonly run: (session: Session, invocation: Invocation) => Promise<unknown>;
}

/** Options of everything that writes through the gate. */
export const WRITE_OPTIONS = ['comment', 'dry-run', 'break-glass'] as const satisfies readonly OptionName[];

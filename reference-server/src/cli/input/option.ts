/** An option, with the same meaning in every command that accepts it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Placeholder for the value in the help. */
  readonly value?: string;
  readonly summary: string;
  /** Repeatable. */
  readonly multiple?: boolean;
  /** The only accepted values. */
  readonly values?: readonly string[];
  /** A boolean that `--no-<name>` sets to false. */
  readonly negatable?: boolean;
}

/** How the process ends, so that scripts can tell why; 0 is success. */
export const EXIT = {
  /** The server refused, or something else went wrong; also what `diff --exit-code` says of differences. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** Nobody is logged in, or the role does not allow it (401, 403). */
  denied: 3,
  /** What was named does not exist (404). */
  notFound: 4,
  /** The state does not allow it: conflicts, freeze windows, changed revisions (409, 412). */
  conflict: 5,
  /** The server cannot be reached, or is too busy (429, 503). */
  unreachable: 6,
} as const;

/** A failure that is told to whoever typed: what is wrong, and what to do about it. */
export class CliError extends Error {
  readonly exitCode: number;
  /** The API's error code, or one of ours: `USAGE`, `NOT_LOGGED_IN`, `UNREACHABLE`, ... */
  readonly code: string;
  /** What to do now; a sentence of its own. */
  readonly hint: string | undefined;
  /** The API's `error.details`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    options: {
      exitCode?: number;
      code?: string;
      hint?: string | undefined;
      details?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message);
    this.name = 'CliError';
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.code = options.code ?? 'FAILED';
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** Ctrl-C. */
export function interrupted(): CliError {
  return new CliError('Interrupted.', { code: 'INTERRUPTED', exitCode: 130 });
}

/** The command line is wrong. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage, code: 'USAGE', hint });
}

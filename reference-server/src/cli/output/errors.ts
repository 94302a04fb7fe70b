/** Exit codes; 0 is success. */
export const EXIT = {
  /**
   * The server refused the request, or something else failed. Also: `diff --exit-code` found differences, or `freeze
   * status --exit-code` found a freeze.
   */
  failed: 1,
  /** Wrong command line. */
  usage: 2,
  /** Not logged in, or not permitted (401, 403). */
  denied: 3,
  /** A named resource does not exist (404). */
  notFound: 4,
  /** Conflict, freeze window or changed revision (409, 412). */
  conflict: 5,
  /** Server unreachable or busy (429, 503). */
  unreachable: 6,
} as const;

/** A failure to print: what is wrong and what to do about it. */
export class CliError extends Error {
  readonly exitCode: number;
  /** The API's error code, or one of the command line: `USAGE`, `NOT_LOGGED_IN`, `UNREACHABLE`, … */
  readonly code: string;
  /** What to do next, as a full sentence. */
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

/** The error after Ctrl-C; exit code 130, as shells expect. */
export function interrupted(): CliError {
  return new CliError('Interrupted.', { code: 'INTERRUPTED', exitCode: 130 });
}

/** The error for a wrong command line. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage, code: 'USAGE', hint });
}

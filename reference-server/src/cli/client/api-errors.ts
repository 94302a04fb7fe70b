import { CliError, EXIT, interrupted } from '../output/errors.ts';
import { cellText } from '../output/table.ts';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program is listening at this address',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'the name does not exist',
  EAI_AGAIN: 'DNS does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS; try http://',
};

/** The error for a request that got no answer, by the innermost error. */
export function unreachable(url: string, cause: Error, signal: AbortSignal): CliError {
  if (signal.aborted || cause.name === 'AbortError') return interrupted();
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = cause.name === 'TimeoutError' ? 'no answer in time' : (REASONS[code ?? ''] ?? message);
  return new CliError(`${url} cannot be reached: ${reason.replace(/[^?]$/, '$&.')}`, {
    code: 'UNREACHABLE',
    exitCode: EXIT.unreachable,
    hint: 'Is the server running, and is this its address? To use another server, set --url or FLAGSVC_URL.',
  });
}

/** The system error that caused the errors of ky and fetch. */
export function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

/** The error for an answer that does not come from a flagsvc server. */
export function foreign(url: string, reason: string): CliError {
  return new CliError(`The answer from ${url} is not that of a flagsvc server: ${reason}.`, {
    code: 'UNREACHABLE',
    exitCode: EXIT.unreachable,
    hint: 'Is this the address of the server itself? To use another one, set --url or FLAGSVC_URL.',
  });
}

const EXIT_BY_STATUS: Readonly<Record<number, number>> = {
  401: EXIT.denied,
  403: EXIT.denied,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  429: EXIT.unreachable,
  503: EXIT.unreachable,
};

interface Refusal {
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: object };
}

/** The error for a response that is not a success; `body` is its parsed body, if it is JSON. */
export function toError({ status, headers }: Response, body: unknown, url: string): CliError {
  const { error } = (body ?? {}) as Refusal;
  if (typeof error?.code !== 'string') {
    return foreign(url, `status ${status}, ${headers.get('content-type') ?? 'no content type'}`);
  }
  const details = { ...error.details } as Record<string, unknown>;
  return new CliError(`${readable(error.message ?? '')}${faultyFields(details)}`, {
    code: error.code,
    details,
    exitCode: EXIT_BY_STATUS[status] ?? EXIT.failed,
    hint: hintOf(error.code, details, headers),
  });
}

/** Drops the pointer to details, which are printed below the message. */
function readable(message: string): string {
  return message.replace(/; see details\.\w+\.$/, ':');
}

function faultyFields({ fields, field, errors }: Readonly<Record<string, unknown>>): string {
  if (typeof field === 'string' && field !== '') return ` (${field})`;
  // `errors` are those of a document to import.
  const whole = Array.isArray(fields) ? 'request' : 'document';
  const faults = (Array.isArray(fields) ? fields : Array.isArray(errors) ? errors : []) as {
    readonly field?: string;
    readonly path?: string;
    readonly message: string;
  }[];
  return faults
    .map((one) => `\n  ${cellText(one.field || one.path || whole)}: ${cellText(one.message)}`)
    .join('');
}

/** Hints that depend on the answer itself; `hintFor` makes the other hints. */
function hintOf(
  code: string,
  details: Readonly<Record<string, unknown>>,
  headers: Headers,
): string | undefined {
  switch (code) {
    case 'RATE_LIMIT_EXCEEDED':
      return `Try again in ${headers.get('retry-after') ?? '60'} seconds.`;
    case 'CONDITION_VALUE_INVALID':
      return `${String(details['operator'])} compares with ${String(details['expected'])}.`;
    case 'INTERNAL_ERROR':
      return `The server's log has the details under request ${String(details['request_id'])}.`;
    default:
      return undefined;
  }
}

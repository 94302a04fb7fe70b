import { ApiError } from '../../../http/errors.ts';

/** A fault of a document. */
export interface ImportError {
  /** Path in the document, such as `flags.3.variations`. */
  readonly path: string;
  /** Key of the flag, segment or environment. */
  readonly key?: string;
  readonly code: string;
  readonly message: string;
  readonly details?: object;
}

/** Maximum number of errors in one answer. */
export const ERRORS_MAX = 100;

/** An IMPORT_INVALID with the first 100 errors. */
export function importInvalid(errors: readonly ImportError[]): ApiError {
  return new ApiError('IMPORT_INVALID', { details: { errors: errors.slice(0, ERRORS_MAX) } });
}

export function limitError(path: string, maximum: number): ImportError {
  return {
    path,
    code: 'LIMIT_EXCEEDED',
    message: `would be more than ${maximum}`,
    details: { maximum },
  };
}

/** Returns what `run` returns. An `ApiError` becomes an import error under the path, and the result is undefined. */
export function collectErrors<T>(
  errors: ImportError[],
  at: { readonly path: string; readonly key: string },
  run: () => T,
): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, details } = error;
    const field = typeof details['field'] === 'string' ? `.${details['field']}` : '';
    errors.push({ ...at, path: `${at.path}${field}`, code, message, details });
    return undefined;
  }
}

/** Something in a flag definition of flagd that cannot be expressed here. */
export class FlagdFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'FlagdFault';
    this.code = code;
  }
}

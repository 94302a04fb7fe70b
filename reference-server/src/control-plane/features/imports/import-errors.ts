import { ApiError } from '../../../http/errors.ts';

/** One thing that is wrong with a document. */
export interface ImportError {
  /** Where: `flags.3.variations`; the key follows where there is one. */
  readonly path: string;
  readonly key?: string;
  readonly code: string;
  readonly message: string;
  readonly details?: object;
}

/** How many errors are told. */
export const ERRORS_MAX = 100;

export function importInvalid(errors: readonly ImportError[]): ApiError {
  return new ApiError('IMPORT_INVALID', { details: { errors: errors.slice(0, ERRORS_MAX) } });
}

/** Something in a flag of flagd that cannot be taken over. */
export class FlagdFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'FlagdFault';
    this.code = code;
  }
}

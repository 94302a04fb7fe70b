import type { DocumentConfig, DocumentFlag } from '../document.ts';
import { importInvalid } from '../import-errors.ts';
import { toKey } from './keys.ts';
import type { Loss, Losses } from './loss.ts';

/** A flag that was read, and the place in the file where it stands. */
export interface ForeignFlag {
  readonly path: string;
  readonly flag: DocumentFlag;
}

export interface FlagNames {
  /** Our key for a flag. Undefined, with a loss, if another flag has it already. */
  claim(name: string, path: string): string | undefined;
}

/** Keys for the flags of a document. */
export function createFlagNames({ lose }: Losses): FlagNames {
  const taken = new Map<string, string>();
  return {
    claim(name, path) {
      const key = toKey(name);
      const other = taken.get(key);
      if (other !== undefined) {
        lose({
          code: 'flag-left-out',
          path,
          message: `The flag is left out: its key becomes ${key}, as that of ${other} does.`,
          remedy: `Rename one of the two, or create this flag by hand under another key.`,
        });
        return undefined;
      }
      taken.set(key, name);
      if (key !== name) {
        lose({
          code: 'flag-renamed',
          path,
          message: `The key ${name} becomes ${key}: keys have lower-case letters, digits and hyphens.`,
          remedy: `Ask for ${key} in your code.`,
        });
      }
      return key;
    },
  };
}

/** Thrown where a flag cannot be read, and told as the reason why it is left out. */
export class ForeignFault extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'ForeignFault';
    this.remedy = remedy;
  }
}

/** Returns what `read` returns; a fault becomes a loss and undefined. */
export function readOrLose<T>(path: string, { lose }: Losses, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ForeignFault)) throw error;
    const { message, remedy } = error;
    lose({ code: 'flag-left-out', path, message: `The flag is left out: ${message}.`, remedy });
    return undefined;
  }
}

/** Throws IMPORT_INVALID for a document of another form. */
export function refuseDocument(path: string, message: string): never {
  throw importInvalid([{ path, code: 'format', message }]);
}

export const switchedOff = ({ prerequisites: _, ...config }: DocumentConfig): DocumentConfig => ({
  ...config,
  enabled: false,
});

export const prerequisiteLoss = (path: string, what: string): Loss => ({
  code: 'prerequisite-left-out',
  path,
  message: `The flag depends on ${what}. It is imported switched off.`,
  remedy: 'Add the prerequisite by hand, then switch the flag on.',
});

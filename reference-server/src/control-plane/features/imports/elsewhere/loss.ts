import type { WarningCode } from '../../../../http/warnings.ts';
import type { ProjectDocument } from '../document.ts';
import type { ImportError } from '../import-errors.ts';

export type LossCode = Extract<
  WarningCode,
  | 'flag-left-out'
  | 'flag-renamed'
  | 'rule-left-out'
  | 'rule-narrowed'
  | 'rules-cut'
  | 'segment-left-out'
  | 'environment-left-out'
  | 'prerequisite-left-out'
  | 'off-differs'
  | 'other-types-match'
  | 'rollouts-reach-other-users'
  | 'rollouts-overlap'
  | 'bucketing-attribute-ignored'
  | 'shares-rounded'
  | 'path-read-as-name'
  | 'field-ignored'
>;

/** Something in the document of another product that has no exact counterpart here. */
export interface Loss {
  readonly code: LossCode;
  /** Path in the document, such as `flags.banner.rules.2`. */
  readonly path: string;
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
}

export interface Losses {
  /** Adds a loss, once. */
  lose(loss: Loss): void;
  readonly all: readonly Loss[];
}

/** These hold for the whole document, so the import reports them once, at the first place where they occur. */
const ONCE: ReadonlySet<LossCode> = new Set(['rollouts-reach-other-users', 'other-types-match']);

export function createLosses(): Losses {
  const all = new Map<string, Loss>();
  return {
    lose: (loss) => {
      const key = ONCE.has(loss.code) ? loss.code : JSON.stringify(loss);
      if (!all.has(key)) all.set(key, loss);
    },
    get all() {
      return [...all.values()];
    },
  };
}

/** The document of another product as one of ours. */
export interface ForeignDocument {
  readonly document: ProjectDocument;
  /** What is lost; flagd's reader says it as `code=path`. */
  readonly losses: readonly (Loss | string)[];
  /** Maps a path in `document` to the place in the file from which that part was read. */
  readonly toSource: (path: readonly string[]) => Pick<ImportError, 'path' | 'key'>;
}

/** Into which environments a document is read. */
export interface ForeignScope {
  /** The environments to import into: those that a person chose, or all environments of the project. */
  readonly environmentKeys: readonly string[];
  /** Whether a person chose them. */
  readonly isChosen: boolean;
}

import type { ChangePosition } from '../storage/row-changes.ts';
import type { RowsRead } from './compiler.ts';

/** The position up to which changes have been read. */
export interface ReadingMark extends ChangePosition {
  readonly epoch: string;
}

/** One consistent reading of the rows from which an environment's ruleset is compiled. */
export interface RulesetReading extends RowsRead {
  readonly mark: ReadingMark;
}

/** Where rulesets are read from. */
export interface RulesetSource {
  /**
   * Reads the rows that changed since the mark, or all rows if it is not known which ones changed. Undefined when the
   * environment does not exist.
   */
  read(environmentId: string, since: ReadingMark | undefined): Promise<RulesetReading | undefined>;
  /** Gives the environment's ruleset a new epoch if its present one is still `epoch`. */
  renewEpoch(environmentId: string, epoch: string): Promise<void>;
  /** Records the entity tag under which a version was published. */
  recordEtag(environmentId: string, version: number, etag: string): Promise<void>;
}

/** Where the publisher reports faults. */
export interface PublisherLog {
  error(details: object, message: string): void;
}

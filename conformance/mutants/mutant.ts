/** Through which call a mutant shows; the vectors are asked the same way. */
export type Surface = 'evaluate' | 'evaluateAll' | 'index';

/** One defect, planted in the evaluator's source. */
export interface Mutant {
  /** Opaque to the runner; unique. */
  readonly id: string;
  /** The requirement that it breaks, as in requirements.json. */
  readonly requirement: string;
  /** In `sdk-core/src`. */
  readonly file: string;
  /** Stands in the file exactly `times` times; each is replaced. */
  readonly find: string;
  /** Default 1. */
  readonly times: number;
  readonly replace: string;
  /** Default `evaluate`. */
  readonly surface: Surface;
  /** Why no vector can tell it from the evaluator; undefined for all that must be killed. */
  readonly equivalent: string | undefined;
}

/** A mutant of one file, in short. */
export type Entry = readonly [
  id: string,
  requirement: string,
  find: string,
  replace: string,
  more?: {
    /** Default: the file of the list. */
    readonly file?: string;
    readonly surface?: Surface;
    readonly equivalent?: string;
    readonly times?: number;
  },
];

/** The mutants of one file, with a few of its neighbours. */
export const mutantsOf = (file: string, entries: readonly Entry[]): readonly Mutant[] =>
  entries.map(([id, requirement, find, replace, more]) => ({
    id,
    requirement,
    file: more?.file ?? file,
    find,
    replace,
    times: more?.times ?? 1,
    surface: more?.surface ?? 'evaluate',
    equivalent: more?.equivalent,
  }));

/** The call through which a mutant is tested. */
export type Surface = 'evaluate' | 'evaluateAll' | 'index';

/** One defect, planted in the evaluator's source. */
export interface Mutant {
  /** Unique. */
  readonly id: string;
  /** The requirement that it breaks, as in requirements.json. */
  readonly requirement: string;
  /** Name of a file in `sdk-core/src`. */
  readonly file: string;
  /** The text to replace; it must occur exactly `times` times in the file. */
  readonly find: string;
  /** Default 1. */
  readonly times: number;
  readonly replace: string;
  /** Default `evaluate`. */
  readonly surface: Surface;
  /** Why the mutant's results never differ from the evaluator's; undefined for mutants that vectors must kill. */
  readonly equivalent: string | undefined;
}

/** The short form of a mutant of one file. */
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

/** Expands the entries of one file. An entry may name another file. */
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

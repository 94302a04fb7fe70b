import type { Level } from '../report/results.ts';

/** One sentence that can be tested. */
export interface Requirement {
  readonly id: string;
  /** The section or page that contains the sentence. */
  readonly section: string;
  readonly sentence: string;
  readonly level: Level;
}

/** Where people find the sentence: by its number on its page, or in a section of the specification. */
export const sourceOf = ({ id, section }: Requirement): string => (/^[A-Z]+-\d+$/.test(id) ? id : section);

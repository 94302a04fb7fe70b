import { mutantsOf } from '../mutant.ts';

/** The bounds of a pattern (decision 0008). */
export const limitMutants = mutantsOf('limits.ts', [
  ['length-511', 'decision-11', 'MAX_PATTERN_LENGTH = 512;', 'MAX_PATTERN_LENGTH = 511;'],
  ['length-513', 'decision-11', 'MAX_PATTERN_LENGTH = 512;', 'MAX_PATTERN_LENGTH = 513;'],
  ['states-9999', 'decision-11', 'MAX_PATTERN_STATES = 10_000;', 'MAX_PATTERN_STATES = 9_999;'],
  ['states-10001', 'decision-11', 'MAX_PATTERN_STATES = 10_000;', 'MAX_PATTERN_STATES = 10_001;'],
  ['repeat-999', 'decision-11', 'MAX_PATTERN_REPEATS = 1_000;', 'MAX_PATTERN_REPEATS = 999;'],
  ['repeat-1001', 'decision-11', 'MAX_PATTERN_REPEATS = 1_000;', 'MAX_PATTERN_REPEATS = 1_001;'],
]);

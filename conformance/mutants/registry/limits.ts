import { mutantsOf } from '../mutant.ts';

/** Defects in the size limits of patterns (EV-99 to EV-101). */
export const limitMutants = mutantsOf('limits.ts', [
  ['length-511', 'EV-99', 'MAX_PATTERN_LENGTH = 512;', 'MAX_PATTERN_LENGTH = 511;'],
  ['length-513', 'EV-99', 'MAX_PATTERN_LENGTH = 512;', 'MAX_PATTERN_LENGTH = 513;'],
  ['states-9999', 'EV-101', 'MAX_PATTERN_STATES = 10_000;', 'MAX_PATTERN_STATES = 9_999;'],
  ['states-10001', 'EV-100', 'MAX_PATTERN_STATES = 10_000;', 'MAX_PATTERN_STATES = 10_001;'],
  ['repeat-999', 'EV-100', 'MAX_PATTERN_REPEATS = 1_000;', 'MAX_PATTERN_REPEATS = 999;'],
  ['repeat-1001', 'EV-94', 'MAX_PATTERN_REPEATS = 1_000;', 'MAX_PATTERN_REPEATS = 1_001;'],
]);

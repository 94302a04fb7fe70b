import { mutantsOf } from '../mutant.ts';

/** The bounds of a pattern (decision 0008). */
export const boundMutants = mutantsOf('bounds.ts', [
  ['length-511', 'decision-11', 'MAX_LENGTH = 512;', 'MAX_LENGTH = 511;'],
  ['length-513', 'decision-11', 'MAX_LENGTH = 512;', 'MAX_LENGTH = 513;'],
  ['states-9999', 'decision-11', 'MAX_SIZE = 10_000;', 'MAX_SIZE = 9_999;'],
  ['states-10001', 'decision-11', 'MAX_SIZE = 10_000;', 'MAX_SIZE = 10_001;'],
  ['repeat-999', 'decision-11', 'MAX_REPEAT = 1_000;', 'MAX_REPEAT = 999;'],
  ['repeat-1001', 'decision-11', 'MAX_REPEAT = 1_000;', 'MAX_REPEAT = 1_001;'],
]);

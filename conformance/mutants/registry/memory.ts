import { mutantsOf } from '../mutant.ts';

const MAP = 'const known = new Map<string, boolean>();';
const GET = 'let answer = known.get(text);';
const FULL = 'if (known.size >= KNOWN_TEXTS) known.clear();';
const SET = 'known.set(text, answer);';

/** Defects in the results that a condition caches. */
export const memoryMutants = mutantsOf('operators.ts', [
  [
    'memory-of-all-conditions',
    'eval-deterministic',
    MAP,
    'const known = ((globalThis as { known?: Map<string, boolean> }).known ??= new Map<string, boolean>());',
  ],
  [
    'memory-by-length',
    'eval-deterministic',
    GET,
    'let answer = known.get(text) ?? [...known].find(([one]) => one.length === text.length)?.[1];',
  ],
  [
    'memory-by-beginning',
    'eval-deterministic',
    GET,
    'let answer = known.get(text) ?? [...known].find(([one]) => one.slice(0, 9) === text.slice(0, 9))?.[1];',
  ],
  [
    'memory-of-the-last',
    'eval-deterministic',
    GET,
    'let answer = known.get(text) ?? [...known.values()].at(-1);',
  ],
  [
    'memory-full-says-no',
    'eval-deterministic',
    GET,
    'let answer = known.size >= KNOWN_TEXTS ? known.has(text) : known.get(text);',
  ],
  [
    'memory-full-says-last',
    'eval-deterministic',
    GET,
    'let answer = known.size >= KNOWN_TEXTS ? known.get(text) ?? [...known.values()].at(-1) : known.get(text);',
  ],
  [
    'memory-full-turns-answers',
    'eval-deterministic',
    FULL,
    'if (known.size >= KNOWN_TEXTS) for (const one of known.keys()) known.set(one, !known.get(one));',
  ],
  ['memory-of-a-cut-text', 'eval-deterministic', SET, 'known.set(text.slice(0, 12), answer);'],
  [
    'memory-without-bound',
    'eval-deterministic',
    FULL,
    '',
    { equivalent: 'It caches more results, and all of them are correct.' },
  ],
]);

import type { Argument } from './syntax.ts';

/** The argument of commands about a flag. */
export const FLAG_KEY: Argument = { name: 'flag', summary: 'Key of the flag' };

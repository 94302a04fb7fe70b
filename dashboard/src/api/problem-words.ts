import type { ProblemWords } from './messages.en.ts';
import { t } from './messages.ts';
import type { ApiProblem } from './problem.ts';

/** A problem in words. The server's own message serves for a code that has none. */
export function problemWords({ code, message, status }: ApiProblem): ProblemWords {
  return t.codes[code] ?? { title: status >= 500 ? t.codes['INTERNAL_ERROR']!.title : message };
}

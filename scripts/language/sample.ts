/**
 * `npm run language:sample -- <seed> [count]`: draws sentences for a reader to judge. Texts that users of the service
 * see (pages, API texts, messages) are twice as likely to be drawn as texts that only developers see.
 */
import { createSeededRandom } from '@flagsvc/sdk-core/testing';
import type { Text } from './text.ts';
import { collectTexts, sentencesOf } from './texts.ts';

const [seed = '1', count = '600'] = process.argv.slice(2);
const random = createSeededRandom(Number(seed));
const IS_TEST = /\.(test|test-d|bench)\.tsx?$|\/(test|bench)\//;
const SHIPPED = /^(sdk-\w+|reference-server|conformance|examples)\//;

const weightOf = ({ kind, path }: Text): number =>
  kind === 'page' || kind === 'title' || kind === 'api' || (kind === 'message' && SHIPPED.test(path)) ? 2 : 1;
/** Strings in tests are input, not text that somebody reads. Titles and comments of tests are drawn. */
const isInput = ({ kind, path }: Text): boolean => kind === 'message' && IS_TEST.test(path);

const drawn = collectTexts()
  .filter((text) => !isInput(text))
  .flatMap((text) => sentencesOf(text.text).map((sentence) => ({ ...text, sentence })))
  // Weighted sampling without replacement (Efraimidis and Spirakis).
  .map((one) => ({ ...one, key: random() ** (1 / weightOf(one)) }))
  .sort((a, b) => b.key - a.key)
  .slice(0, Number(count));

for (const [index, { path, line, kind, sentence, context }] of drawn.entries())
  console.log(`${index + 1}. [${kind}] ${path}:${line}  (${context})\n   ${sentence}`);

/** `npm run language:all -- <part of a path>`: prints every sentence of these files, for somebody who reads them in order. */
import { collectTexts, sentencesOf } from './texts.ts';

let count = 0;
for (const { path, line, kind, text, context } of collectTexts(process.argv[2])) {
  const sentences = sentencesOf(text).map((sentence) => `   ${++count}. ${sentence}`);
  console.log(`[${kind}] ${path}:${line}  (${context})\n${sentences.join('\n')}`);
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Requirement } from './requirement.ts';

/** The pages of numbered sentences that implementations must satisfy, by the prefix of their numbers. */
export const SENTENCE_PAGES: Readonly<Record<string, string>> = {
  EV: 'what-an-evaluator-owes.md',
  CL: 'what-a-client-owes.md',
  RL: 'what-a-relay-owes.md',
};

/** One numbered sentence, such as `CL-7`. Vectors and scenarios cite it by this id, like any requirement. */
export interface NumberedSentence extends Requirement {
  /** What goes wrong for users if the sentence does not hold. */
  readonly why: string;
  /** Why no case tests it; absent when a case does. */
  readonly notTested?: string;
}

const ITEM =
  /^- \*\*([A-Z]+-\d+)\*\*( \(optional\))? (.+)\n {2}\*Why:\* (.+)(?:\n {2}\*Not tested:\* (.+))?$/;

/**
 * Parses the sentences of a page. Each is a list item: `- **CL-7** The sentence.` on one line, `*Why:*` on the next, and
 * `*Not tested:*` on a third if no case can test it. Throws if an item has another form.
 */
export const parseSentences = (page: string, text: string): readonly NumberedSentence[] => {
  const items = text.split(/\n(?! {2}\S)/).filter((block) => /^[-*]\W*[A-Z]{2}-\d/.test(block));
  const sentences = items.map((block): NumberedSentence => {
    const [, id, optional, sentence, why, notTested] = ITEM.exec(block) ?? [];
    if (!id || !sentence || !why) {
      throw new Error(
        `${page}: write "- **ID-1** Sentence." on one line and "  *Why:* …" on the next, not ${block}`,
      );
    }
    const level = optional ? 'optional' : 'decided';
    return { id, section: page, sentence, level, why, ...(notTested && { notTested }) };
  });
  const duplicate = sentences.find(({ id }, at) => sentences.findIndex((other) => other.id === id) !== at);
  if (duplicate) throw new Error(`${page} has ${duplicate.id} twice: a new sentence gets a new number`);
  return sentences;
};

/** The sentences of all pages in the directory. */
export const readSentences = (directory: string): readonly NumberedSentence[] =>
  Object.entries(SENTENCE_PAGES)
    .filter(([, page]) => existsSync(join(directory, page)))
    .flatMap(([prefix, page]) => {
      const sentences = parseSentences(page, readFileSync(join(directory, page), 'utf8'));
      const foreign = sentences.find(({ id }) => !id.startsWith(`${prefix}-`));
      if (foreign)
        throw new Error(
          `${page}: sentences are numbered ${prefix}-1, ${prefix}-2 and so on, not ${foreign.id}`,
        );
      return sentences;
    });

/** The hash that `requirements.json` records, so that a sentence is not changed without checking its cases. */
export const hashOfSentence = (sentence: string): string =>
  createHash('sha256').update(sentence).digest('hex');

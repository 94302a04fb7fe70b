import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Requirement } from './suite.ts';

/** The pages of numbered sentences that say what an implementation owes, by the prefix of their numbers. */
export const OWED_PAGES: Readonly<Record<string, string>> = {
  EV: 'what-an-evaluator-owes.md',
  CL: 'what-a-client-owes.md',
};

/** One numbered sentence, such as `CL-7`. Vectors and scenarios cite it by this id, as they do requirements. */
export interface OwedSentence extends Requirement {
  /** What goes wrong for users where it does not hold. */
  readonly why: string;
  /** Why no case tests it; absent when a case does. */
  readonly notTested?: string;
}

const ITEM =
  /^- \*\*([A-Z]+-\d+)\*\*( \(optional\))? (.+)\n {2}\*Why:\* (.+)(?:\n {2}\*Not tested:\* (.+))?$/;

/**
 * Reads the sentences of a page. Each is an item of a list: `- **CL-7** The sentence.` on one line, `*Why:*` on the
 * next, and `*Not tested:*` on a third where no case can test it. Throws when an item is anything else.
 */
export const parseOwed = (page: string, text: string): readonly OwedSentence[] => {
  const items = text.split(/\n(?! {2}\S)/).filter((block) => /^[-*]\W*[A-Z]{2}-\d/.test(block));
  const sentences = items.map((block): OwedSentence => {
    const [, id, optional, sentence, why, notTested] = ITEM.exec(block) ?? [];
    if (!id || !sentence || !why) {
      throw new Error(
        `${page}: write "- **ID-1** Sentence." on one line and "  *Why:* …" on the next, not ${block}`,
      );
    }
    const level = optional ? 'optional' : 'decided';
    return { id, section: page, sentence, level, why, ...(notTested && { notTested }) };
  });
  const twice = sentences.find(({ id }, at) => sentences.findIndex((other) => other.id === id) !== at);
  if (twice) throw new Error(`${page} has ${twice.id} twice: a new sentence gets a new number`);
  return sentences;
};

/** Every sentence of the pages that are in the directory. */
export const readOwed = (directory: string): readonly OwedSentence[] =>
  Object.entries(OWED_PAGES)
    .filter(([, page]) => existsSync(join(directory, page)))
    .flatMap(([prefix, page]) => {
      const sentences = parseOwed(page, readFileSync(join(directory, page), 'utf8'));
      const foreign = sentences.find(({ id }) => !id.startsWith(`${prefix}-`));
      if (foreign) throw new Error(`${page} numbers its sentences ${prefix}-1 and so on, not ${foreign.id}`);
      return sentences;
    });

/** What `requirements.json` records of a sentence, so that nobody changes one without looking at its cases. */
export const hashOfSentence = (sentence: string): string =>
  createHash('sha256').update(sentence).digest('hex');

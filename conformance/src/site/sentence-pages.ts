import { prose, text } from '../report/html-text.ts';
import { type CaseHead, countOutcomes } from '../report/results.ts';
import type { NumberedSentence } from '../suite/numbered-sentences.ts';
import type { Requirement } from '../suite/requirement.ts';
import type { TestedImplementation, TestedVersion } from './history.ts';
import { markOf, type Page, sentenceFile, tableOf, toPage, worstOf } from './layout.ts';

/** A sentence with the cases that cite it. */
export interface TestedSentence {
  readonly requirement: Requirement;
  readonly cases: readonly CaseHead[];
}

/** The list of all sentences, by section, with the newest version of each implementation. */
export const toSentencesPage = (
  sentences: readonly TestedSentence[],
  implementations: readonly TestedImplementation[],
): Page => {
  const heads = ['Sentence', 'Cases', ...implementations.map(({ name }) => name)];
  const sections = [...Map.groupBy(sentences, ({ requirement }) => requirement.section)];
  return toPage(
    'sentences/index.html',
    'Sentences',
    `<h1>Sentences</h1><p class="lead">What implementations owe, sentence by sentence. A mark shows the worst result among the cases that cite the sentence, for the newest version of each implementation.</p>
<nav aria-label="Sections"><ul class="sections">${sections.map(([name, listed], at) => `<li><a href="#section-${at}">${text(name)}</a> <span class="soft">${listed.length}</span></li>`).join('')}</ul></nav>
${sections
  .map(
    ([name, listed], at) =>
      `<h2 id="section-${at}">${text(name)}</h2>${tableOf(
        `Sentences of ${name}`,
        heads,
        listed.map((one) => rowOf(one, implementations)),
      )}`,
  )
  .join('')}`,
  );
};

const rowOf = (
  { requirement: { id, sentence }, cases }: TestedSentence,
  implementations: readonly TestedImplementation[],
): string =>
  `<tr><th scope="row" class="what"><a href="${sentenceFile(id)}">${text(id)}</a> ${prose(sentence)}</th><td class="number">${cases.length}</td>${implementations
    .map(({ versions: [newest] }) => `<td>${summaryOf(newest, id)}</td>`)
    .join('')}</tr>`;

/** The worst outcome of a version's cases that cite the sentence, with the number that pass. */
const summaryOf = (version: TestedVersion, id: string): string => {
  const ran = version.bySentence.get(id) ?? [];
  const counts = countOutcomes(ran);
  const applicable = ran.length - counts.inapplicable;
  return markOf(worstOf(counts), applicable > 1 ? ` ${counts.pass}/${applicable}` : '');
};

/** The outcome of a case. A vector that tests a server has a suffix. */
const outcomeOf = ({ cases }: TestedVersion, id: string) =>
  (cases.get(id) ?? cases.get(`${id}@server`))?.outcome;

/** The page of one sentence: its reason, its cases with their results, and its history. */
export const toSentencePage = (
  { requirement, cases }: TestedSentence,
  implementations: readonly TestedImplementation[],
): Page => {
  const { id, sentence, section, level } = requirement;
  const { why, notTested } = requirement as Partial<NumberedSentence>;
  const heads = ['Case', 'Title', ...implementations.map(({ name }) => name)];
  const rows = cases.map(
    (head) =>
      `<tr><th scope="row"><code>${text(head.id)}</code> <span class="soft">${text(head.group)}</span></th><td>${text(head.title)}</td>${implementations
        .map(({ versions: [newest] }) => `<td>${markOf(outcomeOf(newest, head.id))}</td>`)
        .join('')}</tr>`,
  );
  const history = implementations.flatMap(({ name, slug, versions }) =>
    versions.map(
      (version) =>
        `<tr><th scope="row"><a href="../implementations/${slug}.html">${text(name)}</a></th><td>${text(version.version)}</td><td>${summaryOf(version, id)}</td></tr>`,
    ),
  );
  return toPage(
    `sentences/${sentenceFile(id)}`,
    id,
    `<h1>${text(id)}</h1><blockquote class="sentence">${prose(sentence)}</blockquote><p class="facts"><span class="pill">${text(section)}</span> <span class="pill">${level}</span></p>
${why ? `<p><b>Why:</b> ${prose(why)}</p>` : ''}${notTested ? `<p><b>Not tested:</b> ${prose(notTested)}</p>` : ''}
<h2>Cases</h2>${cases.length ? tableOf('Cases that test the sentence', heads, rows) : '<p>No case tests this sentence.</p>'}
<h2>History</h2>${tableOf('Results by version, newest first', ['Implementation', 'Version', 'Worst result'], history)}`,
  );
};

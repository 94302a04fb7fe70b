import { text } from '../report/html-text.ts';
import { type Counts, OUTCOMES, type Outcome, SIGNS, WORDS } from '../report/results.ts';
import type { TestedImplementation } from './history.ts';

/** A page of the site. */
export interface Page {
  /** Relative to the site's root. */
  readonly path: string;
  readonly content: string;
}

/** The order in which outcomes are listed. */
export const LISTED: readonly Outcome[] = ['pass', 'fail', 'crash', 'skip', 'inapplicable'];

/** Surrounds the body of a page. `path` says how to reach the site's root. */
export const toPage = (path: string, title: string, body: string): Page => {
  const root = '../'.repeat(path.split('/').length - 1);
  const here = (target: string) => (path === target ? ' aria-current="page"' : '');
  return {
    path,
    content: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${text(title)} · flagsvc conformance</title><link rel="stylesheet" href="${root}style.css"><link rel="icon" href="data:,"></head>
<body><a class="to-content" href="#main">Skip to the content</a>
<header><nav aria-label="Site"><b>flagsvc conformance</b><a href="${root}index.html"${here('index.html')}>Implementations</a><a href="${root}sentences/index.html"${here('sentences/index.html')}>Sentences</a></nav></header>
<main id="main">${body}</main></body></html>
`,
  };
};

/** The outcome of a case, or of several cases, as a coloured mark with a word. */
export const markOf = (outcome: Outcome | undefined, more = ''): string =>
  outcome === undefined
    ? '<span class="mark none">not run</span>'
    : `<span class="mark ${outcome}">${SIGNS[outcome]} ${WORDS[outcome]}${more}</span>`;

/** The worst outcome that occurs. */
export const worstOf = (counts: Counts): Outcome | undefined =>
  OUTCOMES.findLast((outcome) => counts[outcome] > 0);

/** The numbers of the outcomes that occur. */
export const pillsOf = (counts: Counts): string =>
  LISTED.filter((outcome) => counts[outcome])
    .map(
      (outcome) =>
        `<span class="pill ${outcome}">${SIGNS[outcome]} ${counts[outcome].toLocaleString('en')} ${WORDS[outcome]}</span>`,
    )
    .join(' ');

/** A bar whose parts are the shares of the outcomes. The pills beside it say the same in words. */
export const barOf = (counts: Counts): string =>
  `<div class="bar" aria-hidden="true">${LISTED.filter((outcome) => counts[outcome])
    .map((outcome) => `<i class="${outcome}" style="flex:${counts[outcome]}"></i>`)
    .join('')}</div>`;

/** The badges of an implementation's newest version, as pictures. `root` leads to the site's root. */
export const badgesOf = ({ slug, versions: [{ badges }] }: TestedImplementation, root: string): string =>
  Object.entries(badges)
    .map(
      ([name, { label, message }]) =>
        `<img src="${root}badges/${slug}/${name}.svg" alt="${text(`${label}: ${message}`)}" height="20">`,
    )
    .join(' ');

/** A table that scrolls sideways by itself on a narrow screen, also with the keyboard. */
export const tableOf = (caption: string, heads: readonly string[], rows: readonly string[]): string =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${text(caption)}"><table><caption>${text(caption)}</caption><thead><tr>${heads
    .map((head) => `<th scope="col">${text(head)}</th>`)
    .join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;

/** The path of a sentence's page below `sentences/`. */
export const sentenceFile = (id: string): string => `${id.replace(/[^\w.-]/g, '_')}.html`;

import { text } from '../report/html-text.ts';
import { lastRun, shareOf, type TestedImplementation } from './history.ts';
import { badgesOf, barOf, type Page, pillsOf, toPage } from './layout.ts';

/** The first page: a card for each implementation. */
export const toIndexPage = (implementations: readonly TestedImplementation[]): Page =>
  toPage(
    'index.html',
    'Implementations',
    `<h1>Implementations</h1>
<p class="lead">Each implementation was tested by the conformance kit of the feature flag service. A card shows its newest version; its page has the history and the open cases. A skip is a gap, so only an implementation without skips and failures has 100 %.</p>
<ul class="cards">${implementations.map(cardOf).join('')}</ul>`,
  );

const cardOf = (one: TestedImplementation): string => {
  const { name, slug, versions } = one;
  const [newest] = versions;
  const { implementation, started_at, suite } = lastRun(newest);
  const { applicable, percent } = shareOf(newest.counts);
  const parts = [...new Set(newest.runs.flatMap((run) => run.parts))].join(' + ');
  const facts = [
    implementation.language,
    implementation.runtime,
    `suite ${suite}`,
    parts,
    started_at.slice(0, 10),
    versions.length > 1 && `${versions.length} versions`,
  ].filter((fact): fact is string => typeof fact === 'string');
  return `<li class="card"><h2><a href="implementations/${slug}.html">${text(name)}</a> <small>${text(newest.version)}</small></h2>
<p class="big${percent === 100 ? ' full' : ''}">${percent} % <small>of ${applicable.toLocaleString('en')} cases</small></p>${barOf(newest.counts)}
<p class="facts">${pillsOf(newest.counts)}</p><p class="facts">${facts.map((fact) => `<span class="pill">${text(fact)}</span>`).join(' ')}</p><p class="badges">${badgesOf(one, '')}</p></li>`;
};

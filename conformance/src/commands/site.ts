import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toBadgeSvg } from '../site/badge-svg.ts';
import { collectReports } from '../site/collect-reports.ts';
import { toImplementations } from '../site/history.ts';
import { toImplementationPage } from '../site/implementation-page.ts';
import { toIndexPage } from '../site/index-page.ts';
import type { Page } from '../site/layout.ts';
import { type TestedSentence, toSentencePage, toSentencesPage } from '../site/sentence-pages.ts';
import { SITE_STYLE } from '../site/site-style.ts';
import { loadProfiles } from '../suite/profiles.ts';
import { loadCases } from './list.ts';
import { parseOptions, UsageError } from './options.ts';

/** `site`: writes a static site from the reports below a directory. The same reports always give the same site. */
export const site = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseOptions(args, { out: { type: 'string', default: 'site' } }, true);
  const [directory] = positionals;
  if (directory === undefined || positionals.length > 1)
    throw new UsageError('give one directory with the report.json files of runs, for example: site reports/');
  if (!existsSync(directory)) throw new UsageError(`there is no directory ${directory}`);
  const reports = collectReports(directory);
  if (reports.length === 0)
    throw new UsageError(
      `${directory} has no report: give the directory into which run, server and ofrep wrote with --out DIR`,
    );
  const { suite, requirements, cases } = loadCases();
  const implementations = toImplementations(reports, loadProfiles(suite.directory));
  const sentences = [...requirements.values()].map(
    (requirement): TestedSentence => ({
      requirement,
      cases: cases.map(({ head }) => head).filter((head) => head.requirements.includes(requirement.id)),
    }),
  );
  const pages: Page[] = [
    toIndexPage(implementations),
    ...implementations.map(toImplementationPage),
    toSentencesPage(sentences, implementations),
    ...sentences.map((sentence) => toSentencePage(sentence, implementations)),
    { path: 'style.css', content: SITE_STYLE },
    ...implementations.flatMap(({ slug, versions: [{ badges }] }) =>
      Object.entries(badges).flatMap(([name, badge]) => [
        { path: `badges/${slug}/${name}.svg`, content: toBadgeSvg(badge) },
        { path: `badges/${slug}/${name}.json`, content: `${JSON.stringify(badge)}\n` },
      ]),
    ),
  ];
  for (const { path, content } of pages) {
    const file = join(values.out, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  process.stdout.write(
    `${join(values.out, 'index.html')}: ${implementations.length} implementations, ${reports.length} runs, ${sentences.length} sentences\n`,
  );
  return 0;
};

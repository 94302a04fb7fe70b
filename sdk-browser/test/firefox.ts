/**
 * `npm run test:firefox`, if Firefox is installed: compares the answers of a page with Node's; then tests a hidden
 * page.
 */
import { firefox } from '../../conformance/runtimes/engines/firefox.ts';
import { bundle } from './browser/bundle.ts';
import { expectedAnswers } from './browser/expected-answers.ts';

const { questions, lines: expected } = expectedAnswers();
const classic = await bundle('./page-sdk.ts', 'iife');
const run = await firefox.run({ classic, module: '' }, questions);
if ('missing' in run) console.log(`Firefox: ${run.missing}`);
else {
  const lines = run.answers.trimEnd().split('\n');
  const wrong = expected.filter((line, at) => line !== lines[at]);
  console.log(
    `Firefox ${run.version}: ${expected.length - wrong.length} of ${expected.length} answers equal Node's`,
  );
  for (const line of wrong.slice(0, 10)) console.log(`  expected ${line}`);
  process.exitCode = wrong.length || lines.length !== expected.length ? 1 : 0;
}

await import('./firefox-hidden.ts');

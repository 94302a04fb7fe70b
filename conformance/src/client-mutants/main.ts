/** Runs the scenarios against every mutant of the Node client. Each mutant must fail a scenario that it lists. */
import { type LoadedScenario, loadScenarios } from '../scenarios/load.ts';
import { suiteDirectory } from '../suite/suite.ts';
import { readClientMutants, runClientMutant } from './run-mutants.ts';

const root = new URL('../../', import.meta.url).pathname;
const command = `${JSON.stringify(process.execPath)} --expose-gc --conditions=@flagsvc/source --import ${root}adapters/lib/mutate.mjs ${root}adapters/sdk-node.mjs`;
/** Prefixes of mutant ids; empty for all mutants. */
const prefixes = process.argv.slice(2);
const { scenarios } = loadScenarios(suiteDirectory());
// Slow scenarios run last, because most mutants fail an earlier one.
const isSlow = ({ id }: LoadedScenario) => /^(LIFE-1[01]|POLL-11|ERR-05\.1[78])/.test(id);
const ordered = [...scenarios.filter((one) => !isSlow(one)), ...scenarios.filter(isSlow)];

let wrong = 0;
for (const mutant of readClientMutants().filter(
  ({ id }) => prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix)),
)) {
  // A scenario that takes minutes runs only against the mutants that list it.
  const selected = ordered.filter(({ id, long }) => !long || mutant.noticed_by.includes(id));
  const { killer, loaded } = await runClientMutant(mutant, selected, command).catch((error: Error) => {
    process.stdout.write(`${error.message}\n`);
    return { killer: undefined, loaded: false };
  });
  const known = killer !== undefined && mutant.noticed_by.includes(killer);
  if (!known || !loaded) wrong++;
  // The listed scenarios run first, so if another one is the first to fail, all listed ones have passed.
  const hint = known || !loaded || killer === undefined ? '' : ` (expected ${mutant.noticed_by.join()})`;
  process.stdout.write(
    `${(loaded ? (killer ?? 'SURVIVES') : 'NOT LOADED').padEnd(12)} ${mutant.id}: ${mutant.title}${hint}\n`,
  );
}
process.stdout.write(
  wrong
    ? `${wrong} mutants were not loaded, or fail no scenario that they list\n`
    : 'every mutant fails a scenario that it lists\n',
);
process.exitCode = wrong ? 1 : 0;

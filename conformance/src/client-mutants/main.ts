/** Breaks the Node client in every way of the registry, and demands that a scenario notices each. */
import { loadScenarios } from '../scenarios/load.ts';
import { suiteDirectory } from '../suite/suite.ts';
import { readClientMutants, runClientMutant } from './run-mutants.ts';

const root = new URL('../../', import.meta.url).pathname;
const command = `${JSON.stringify(process.execPath)} --expose-gc --conditions=@flagsvc/source --import ${root}adapters/lib/mutate.mjs ${root}adapters/sdk-node.mjs`;
/** Beginnings of names; none for all. */
const only = process.argv.slice(2);
const { scenarios } = loadScenarios(suiteDirectory());
// What takes longest comes last: most mutants die young.
const slow = (id: string) => /^(LIFE-1[01]|POLL-11|ERR-05\.1[78])/.test(id);
const ordered = [...scenarios.filter(({ id }) => !slow(id)), ...scenarios.filter(({ id }) => slow(id))];

let wrong = 0;
for (const mutant of readClientMutants().filter(
  ({ id }) => only.length === 0 || only.some((name) => id.startsWith(name)),
)) {
  // What takes minutes is asked of those that only it can notice.
  const asked = ordered.filter(({ id, long }) => !long || mutant.noticed_by.includes(id));
  const { killers, loaded } = await runClientMutant(mutant, asked, command).catch((error: Error) => {
    process.stdout.write(`${error.message}\n`);
    return { killers: [], loaded: false };
  });
  const [killer = 'LIVES'] = killers;
  const known = mutant.noticed_by.includes(killer);
  if (!known || !loaded) wrong++;
  // Listed ones are asked first: another one means that none of these notices any more.
  const hint =
    known || !loaded || killers.length === 0 ? '' : ` (noticed_by says ${mutant.noticed_by.join()})`;
  process.stdout.write(
    `${(loaded ? killer : 'NOT LOADED').padEnd(12)} ${mutant.id}: ${mutant.title}${hint}\n`,
  );
}
process.stdout.write(
  wrong ? `${wrong} mutants live, or are noticed by others\n` : 'every mutant is caught\n',
);
process.exitCode = wrong ? 1 : 0;

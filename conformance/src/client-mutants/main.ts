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

let lived = 0;
for (const mutant of readClientMutants().filter(
  ({ id }) => only.length === 0 || only.some((name) => id.startsWith(name)),
)) {
  const { killers, loaded } = await runClientMutant(mutant, ordered, command).catch((error: Error) => {
    process.stdout.write(`${error.message}\n`);
    return { killers: [], loaded: false };
  });
  if (killers.length === 0 || !loaded) lived++;
  const verdict = loaded ? (killers[0] ?? 'LIVES') : 'NOT LOADED';
  process.stdout.write(`${verdict.padEnd(12)} ${mutant.id}: ${mutant.title}\n`);
}
process.stdout.write(lived ? `${lived} mutants live\n` : 'every mutant is caught\n');
process.exitCode = lived ? 1 : 0;

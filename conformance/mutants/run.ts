/**
 * `npm run conformance:mutants`: plants each defect of the registry in the evaluator and runs the vectors. Fails if
 * fewer than two vectors kill a mutant, unless the registry marks it as equivalent and says why.
 *
 *     node conformance/mutants/run.ts [id-prefix …] [--killers | --record]
 *
 * `--killers` runs every vector and also prints the vectors that kill nothing. `--record` does so for all mutants and
 * writes kills.txt, from which the vectors get their `kills`.
 */
import { writeFileSync } from 'node:fs';
import { loadSuite } from '../src/suite/suite.ts';
import type { Mutant } from './mutant.ts';
import { judgeAll } from './pool.ts';
import { mutants } from './registry.ts';
import { passes, vectorsForMutants } from './trial.ts';
import { trivial } from './trivial.ts';

/** How many vectors must kill a mutant. */
const ENOUGH = 2;
/** Maximum number of mutants recorded for a vector. Published vectors name the first three. */
const RECORDED = 6;

const args = process.argv.slice(2);
const records = args.includes('--record');
const asksAll = records || args.includes('--killers');
const prefixes = args.filter((arg) => !arg.startsWith('--'));
const chosen = mutants.filter(
  ({ id }) => !prefixes.length || prefixes.some((prefix) => id.startsWith(prefix)),
);
if (records && prefixes.length) throw new Error('--record runs all mutants and accepts no prefix');
const vectors = vectorsForMutants(loadSuite());
const complaints: string[] = [];
const seen = new Set<string>();
for (const { id } of mutants) {
  if (seen.has(id)) complaints.push(`${id} occurs twice`);
  seen.add(id);
}

const started = performance.now();
const victims: (readonly [id: string, killers: number])[][] = vectors.map(() => []);
let [killed, equivalent] = [0, 0];
const failed = await judgeAll(chosen, asksAll ? Infinity : ENOUGH, (mutant, outcome) => {
  const killers = outcome instanceof Error ? [] : outcome;
  for (const at of new Set(killers)) victims[at]!.push([mutant.id, killers.length]);
  const complaint =
    outcome instanceof Error
      ? outcome.message
      : complaintOn(
          mutant,
          killers.map((at) => vectors[at]!.id),
        );
  if (complaint) {
    complaints.push(complaint);
    console.log(complaint);
  } else if (mutant.equivalent) equivalent++;
  else killed++;
  if (asksAll) console.log(`${mutant.id}: ${killers.length}`);
});

for (const at of failed) complaints.push(`the evaluator without a defect fails ${vectors[at]!.id}`);

function complaintOn(
  { id, requirement, file, equivalent }: Mutant,
  killers: readonly string[],
): string | undefined {
  if (equivalent)
    return killers.length ? `${id} is marked equivalent, but ${killers[0]} kills it` : undefined;
  if (killers.length >= ENOUGH) return undefined;
  return `${id} (${requirement}, ${file}) ${killers.length ? `is killed by ${killers[0]} only` : 'survives'}`;
}

if (!prefixes.length) {
  const categories = new Set(vectors.map(({ category }) => category));
  for (const [name, subject] of Object.entries(trivial)) {
    for (const category of categories) {
      const chosen = vectors.filter((vector) => vector.category === category);
      if (chosen.every((vector) => passes(subject, vector, 'evaluate'))) {
        complaints.push(`"${name}" passes every vector of ${category}`);
      }
    }
  }
}
if (asksAll) {
  const idle = vectors.filter((_, at) => !victims[at]!.length).map(({ id }) => id);
  console.log(`${idle.length} of ${vectors.length} vectors kill nothing: ${idle.join(' ')}`);
}
if (records) {
  // Hardest to kill first, then by name, so that every run writes the same file.
  const lines = victims.map((killed, at) => {
    const rarest = killed.sort(([a, few], [b, many]) => few - many || (a < b ? -1 : 1));
    return [vectors[at]!.id, ...rarest.slice(0, RECORDED).map(([id]) => id)];
  });
  const text = lines.filter(({ length }) => length > 1).map((line) => `${line.join(' ')}\n`);
  writeFileSync(new URL('./kills.txt', import.meta.url), text.sort().join(''));
}
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `${chosen.length} mutants in ${seconds} s: ${killed} killed by ${ENOUGH} vectors or more, ${equivalent} equivalent, ${complaints.length} complaints`,
);
for (const complaint of complaints) console.log(`  ${complaint}`);
process.exitCode = complaints.length ? 1 : 0;

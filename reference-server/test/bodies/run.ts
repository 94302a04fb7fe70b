/** `npm run fuzz:bodies -- --bodies 100000 --seed 7`: runs the full campaign, of which `npm test` runs a sample. */
import { CPU_MS_MAX, describe, GROWTH_BYTES_MAX, runCampaign } from './campaign.ts';

const bodies = read('--bodies', 100_000);
const seed = read('--seed', Date.now() % 1_000_000_000);
if (![bodies, seed].every((number) => Number.isInteger(number) && number > 0)) {
  process.stderr.write('--bodies and --seed must be integers from 1.\n');
  process.exit(2);
}
const outcome = await runCampaign(bodies, seed);
for (const fault of outcome.faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${bodies} bodies from seed ${seed}: ${describe(outcome)}\n`);
const isGood =
  outcome.faults.length === 0 && outcome.slowestMs <= CPU_MS_MAX && outcome.growthBytes <= GROWTH_BYTES_MAX;
process.exitCode = isGood ? 0 : 1;

function read(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at > 0 ? Number(process.argv[at + 1]) : otherwise;
}

// How often the verdicts of experiments are right, by simulation: `npm run bench:statistics -- [runs]`. Exits with 1 if
// a figure misses its goal.
import { isWrong, playKnownTruths } from './statistics/known-truths.ts';
import { planAndPlay } from './statistics/planned-power.ts';
import { POPULATIONS } from './statistics/populations.ts';
import { countAlarms } from './statistics/sample-ratios.ts';
import { simulate, upperBound } from './statistics/simulate.ts';

const UNITS = 5000;
const LIFT = 0.2;
const runs = Number(process.argv[2] ?? 10_000);
if (!Number.isInteger(runs) || runs < 100) throw new Error('Give the number of runs, at least 100.');
const fewer = Math.max(100, Math.round(runs / 10));
let missed = 0;

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`.padStart(9);
const signed = (lift: number): string =>
  `${lift < 0 ? '−' : '+'}${(100 * Math.abs(lift)).toFixed(1)} %`.padStart(9);

function check(isMet: boolean): string {
  if (!isMet) missed++;
  return isMet ? '' : '  MISSED';
}

console.log(
  `False alarms of A/A experiments: ${runs} per row, 100 looks from 100 to ${UNITS} units per arm.`,
);
console.log(
  'Goal: the upper 99 % bound is at most 5.5 %. "One look" is a fixed 95 % interval, "delta" the usual lift.',
);
console.log(`${''.padEnd(28)} alarms    bound     guardrail one look  delta`);
for (const population of POPULATIONS) {
  const { decided, harmed, naive, delta } = simulate({ population, lift: 0, runs, units: UNITS });
  const bound = Math.max(upperBound(decided, runs), upperBound(harmed, runs));
  const shares = [decided / runs, bound, harmed / runs, naive / runs, delta / runs].map(percent).join(' ');
  console.log(`${population.name.padEnd(28)}${shares}${check(bound <= 0.055)}`);
}

console.log(`\nExperiments with a lift of ${signed(LIFT).trim()}: ${fewer} per row.`);
console.log(
  'Goals: at most 5 % have an interval that misses the truth, and at least 90 % of the planned size find it.',
);
console.log(`${''.padEnd(28)}   missed  planned per arm    found`);
for (const population of POPULATIONS) {
  const outcome = simulate({ population, lift: LIFT, runs: fewer, units: UNITS });
  const power = planAndPlay(population, LIFT, fewer);
  const isMet = outcome.missed / fewer <= 0.05 && power.found / fewer >= 0.9;
  const planned = String(power.unitsPerArm).padStart(16);
  console.log(
    `${population.name.padEnd(28)}${percent(outcome.missed / fewer)} ${planned}${percent(power.found / fewer)}${check(isMet)}`,
  );
}

const [even, uneven] = [countAlarms(0.5, runs, 20_000) / runs, countAlarms(0.52, fewer, 20_000) / fewer];
console.log(
  `\nSample ratio, 20,000 units, 100 looks: alarm in ${percent(even).trim()} of 50/50 (goal: at most 0.2 %),`,
);
console.log(
  `in ${percent(uneven).trim()} of 52/48 (goal: at least 90 %).${check(even <= 0.002 && uneven >= 0.9)}`,
);

console.log('\nTwenty experiments with known truth, 20,000 units per arm; goal: at most one wrong verdict.');
console.log(`${''.padEnd(28)}    truth  estimate      from        to  verdict       GrowthBook's interval`);
const experiments = playKnownTruths(20);
for (const { population, lift, estimate, low, high, verdict, peerVerdict } of experiments) {
  const numbers = [lift, estimate, low, high].map(signed).join(' ');
  console.log(
    `${population.padEnd(28)}${numbers}  ${verdict.padEnd(13)} ${peerVerdict}${isWrong(verdict, lift) ? '  wrong' : ''}`,
  );
}
const wrong = experiments.filter(({ verdict, lift }) => isWrong(verdict, lift)).length;
console.log(`${wrong} wrong.${check(wrong <= 1)}`);
console.log(missed === 0 ? '\nAll goals are met.' : `\n${missed} goals are missed.`);
process.exit(missed === 0 ? 0 : 1);

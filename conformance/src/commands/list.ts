import {
  loadOfrepScenarios,
  loadRelayScenarios,
  loadScenarios,
  loadServerScenarios,
  scenarioHead,
} from '../scenarios/load.ts';
import type { BaseScenario, Loaded } from '../scenarios/types.ts';
import { listCaseChanges, readDatedCases, toChangelog } from '../suite/case-changes.ts';
import type { NumberedSentence } from '../suite/numbered-sentences.ts';
import { loadProfiles } from '../suite/profiles.ts';
import { loadAllRequirements } from '../suite/requirements.ts';
import { loadSuite } from '../suite/suite.ts';
import { bucketHead } from '../vectors/run-buckets.ts';
import { vectorHead } from '../vectors/run-vectors.ts';
import { createSelection, parseOptions, UsageError } from './options.ts';

/** The suite with all sentences and, except for the rows of bucket.csv, all cases. */
export const loadCases = () => {
  const suite = loadSuite();
  const requirements = loadAllRequirements(suite);
  const scenarios = [loadScenarios, loadServerScenarios, loadRelayScenarios, loadOfrepScenarios].flatMap(
    (load): readonly Loaded<BaseScenario>[] => load(suite.directory).scenarios,
  );
  const cases = [
    ...suite.vectors.map((raw) => ({ head: vectorHead(raw), raw: raw as object })),
    ...scenarios.map((raw) => ({ head: scenarioHead(raw), raw: raw as object })),
  ];
  return { suite, requirements, cases };
};

/** `list`: prints the groups, or the profiles, with their numbers of cases; with `--only`, the selected cases. */
export const list = async (args: readonly string[]): Promise<number> => {
  const { values } = parseOptions(args, {
    only: { type: 'string', multiple: true },
    requirements: { type: 'boolean', default: false },
    profiles: { type: 'boolean', default: false },
    changes: { type: 'boolean', default: false },
  });
  const { suite, requirements, cases } = loadCases();
  const write = (line: string) => process.stdout.write(`${line}\n`);
  if (values.requirements) {
    const counts = new Map<string, number>();
    for (const { head } of cases)
      for (const id of head.requirements) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const { id, level, section, sentence } of requirements.values()) {
      write(
        `${String(counts.get(id) ?? 0).padStart(5)}  ${id.padEnd(34)} ${level.padEnd(8)} ${section}: ${sentence}`,
      );
    }
    return 0;
  }
  if (values.changes) {
    process.stdout.write(toChangelog(listCaseChanges(readDatedCases(suite.directory))));
    return 0;
  }
  if (values.profiles) {
    const groups = [
      ...cases.map(({ head }) => head.group),
      ...suite.buckets.map((row) => bucketHead(row).group),
    ];
    for (const { name, title, contains } of loadProfiles(suite.directory)) {
      write(`${String(groups.filter(contains).length).padStart(6)}  ${name.padEnd(9)} ${title}`);
    }
    return 0;
  }
  if (values.only === undefined) {
    const groups = Map.groupBy(cases, ({ head }) => head.group);
    for (const [name, listed] of groups) write(`${String(listed.length).padStart(6)}  ${name}`);
    write(`${String(suite.buckets.length).padStart(6)}  vectors/bucket.csv`);
    write(`${String(cases.length + suite.buckets.length).padStart(6)}  total, suite ${suite.version}`);
    return 0;
  }
  const selection = createSelection(values.only);
  for (const { head, raw } of cases.filter((one) => selection.has(one.head))) {
    write(
      `${head.id.padEnd(22)} ${head.level.padEnd(8)} ${head.title}${'long' in raw ? ' (with --long)' : ''}`,
    );
  }
  selection.check();
  return 0;
};

/** `explain`: prints a case with the sentences that it tests, or a sentence with its cases. */
export const explain = async (args: readonly string[]): Promise<number> => {
  const { positionals } = parseOptions(args, {}, true);
  const [id] = positionals;
  if (id === undefined) throw new UsageError('give the id of a case, for example: explain operators-0001');
  const { suite, requirements, cases } = loadCases();
  const write = (text: string) => process.stdout.write(`${text}\n`);
  const row = suite.buckets.find((bucket) => bucket.id === id);
  // A vector has this suffix when it tests a server, through the server's API.
  const found = cases.find(({ head }) => head.id === id.replace(/@server$/, ''));
  const sentence = requirements.get(id);
  if (row) write(JSON.stringify(row, null, 2));
  else if (found) write(describe(found, requirements));
  else if (sentence) {
    const { section, level } = sentence;
    const { why, notTested } = sentence as Partial<NumberedSentence>;
    write(`${id}  ${section}, ${level}\n“${sentence.sentence}”`);
    if (why) write(`Why: ${why}`);
    if (notTested) write(`Not tested: ${notTested}`);
    write('');
    for (const { head } of cases.filter((one) => one.head.requirements.includes(id))) {
      write(`${head.id.padEnd(22)} ${head.title}`);
    }
  } else {
    const near = cases.filter(({ head }) => head.id.toLowerCase().startsWith(id.toLowerCase())).slice(0, 3);
    const hint = near.length ? `; there is ${near.map(({ head }) => head.id).join(', ')}` : '';
    throw new UsageError(`there is no case "${id}"${hint}; see "list"`);
  }
  return 0;
};

const describe = (
  { head, raw }: ReturnType<typeof loadCases>['cases'][number],
  requirements: ReturnType<typeof loadCases>['requirements'],
): string => {
  const { id, group, category, requirements: _named, ...rest } = raw as Record<string, unknown>;
  return [
    `${head.id}  ${head.title}\n${head.group}, ${head.level}\n`,
    ...head.requirements.map((name) => {
      const requirement = requirements.get(name);
      return requirement ? `${name}: ${requirement.section}: “${requirement.sentence}”` : name;
    }),
    `\n${JSON.stringify(rest, null, 2)}`,
  ].join('\n');
};

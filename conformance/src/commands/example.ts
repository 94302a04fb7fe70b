import { cpSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suiteDirectory } from '../suite/suite.ts';
import { parseOptions, UsageError } from './options.ts';
import { PROGRAM_NAME } from './program-name.ts';

/** Examples that the package contains, by the language that the command names. */
export const EXAMPLES: Readonly<Record<string, string>> = { python: 'python-evaluator' };

/** Whether a file of an example's folder belongs to the example. */
export const isExampleFile = (path: string): boolean => !/\.test\.ts$|__pycache__/.test(path);

/** `example LANGUAGE`: copies an evaluator with its adapter to `./examples`, as a start for your own. */
export const example = async (args: readonly string[]): Promise<number> => {
  const { positionals } = parseOptions(args, {}, true);
  const name = Object.hasOwn(EXAMPLES, positionals[0] ?? '') ? EXAMPLES[positionals[0]!]! : undefined;
  if (name === undefined) throw new UsageError(`give a language: ${Object.keys(EXAMPLES).join(', ')}`);
  const target = join('examples', name);
  if (existsSync(target)) throw new UsageError(`${target} exists; move it away first`);
  cpSync(findExample(name), target, {
    recursive: true,
    filter: isExampleFile,
  });
  process.stdout.write(`copied to ${target}; try:\n`);
  process.stdout.write(
    `  ${PROGRAM_NAME} run --adapter "python3 ${target}/adapter.py" --profile minimal --suite vectors\n`,
  );
  return 0;
};

/** An archive has the examples in the suite, a published package in `dist`, and a checkout beside the kit. */
export const findExample = (name: string): string => {
  const directory = suiteDirectory();
  const found = [
    join(directory, 'examples', name),
    join(directory, 'dist', 'examples', name),
    join(dirname(directory), 'examples', name),
  ].find((path) => existsSync(path));
  if (found === undefined) throw new Error(`the package has no ${name}: it is incomplete`);
  return found;
};

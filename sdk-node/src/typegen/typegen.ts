import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeDeclaration } from './declaration.ts';
import { readRuleset, TypegenError } from './read-ruleset.ts';

const USAGE = `flagsvc-typegen: declares the flags of an environment, so that the compiler knows them

  flagsvc-typegen ruleset.json --out src/flags.d.ts
  FLAGSVC_API_KEY=sdk-… flagsvc-typegen https://flags.example.com/api/v1 --out src/flags.d.ts

  --out FILE      where the declaration goes; without it, to stdout
  --check         writes nothing; fails when FILE is not what would be written: for CI
  --api-key KEY   an SDK key; FLAGSVC_API_KEY keeps it out of the list of processes.
                  A key of kind client knows the flags for visitors only.

Exit code 0: done, or nothing to do. 1: --check found a difference. 2: it could not be done.
`;

/** What the command may touch. */
export interface TypegenWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** Runs one command line and gives the exit code; never rejects. */
export const runTypegen = async (
  args: readonly string[],
  { env, print, complain }: TypegenWorld,
): Promise<number> => {
  const fail = (message: string) => {
    complain(`flagsvc-typegen: ${message}\n`);
    return 2;
  };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        check: { type: 'boolean', default: false },
        'api-key': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const [source, ...more] = positionals;
    if (values.help) {
      print(USAGE);
      return 0;
    }
    if (!source || more.length > 0) return fail('give one ruleset, a file or an address; see --help');
    if (values.check && !values.out) return fail('--check compares with a file: give --out FILE');
    const apiKey = values['api-key'] ?? env['FLAGSVC_API_KEY'];
    const ruleset = await readRuleset(source, apiKey, (line) => complain(`flagsvc-typegen: ${line}\n`));
    const text = writeDeclaration(ruleset);
    if (!values.out) {
      print(text);
      return 0;
    }
    const before = await readFile(values.out, 'utf8').catch(() => undefined);
    // Editors and Git may have changed the ends of lines.
    const isSame = before?.replaceAll('\r\n', '\n') === text;
    if (values.check) {
      if (isSame) return 0;
      complain(
        `flagsvc-typegen: ${values.out} is out of date${difference(before ?? '', text)}\nRun it without --check, and commit the file.\n`,
      );
      return 1;
    }
    if (!isSame) {
      await mkdir(dirname(values.out), { recursive: true });
      await writeFile(values.out, text);
    }
    for (const line of obstacles(values.out)) complain(`flagsvc-typegen: ${line}\n`);
    return 0;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof TypegenError || code?.startsWith('ERR_PARSE_ARGS')) return fail(message);
    return fail(`${message} (${code ?? 'unexpected'})`);
  }
};

const CORE = '@flagsvc/sdk-core';
const LEFT_OUT = 'so the compiler would leave the declaration out without a word';

/** Why compilers would not read a declaration there, with the remedies. */
const obstacles = (file: string): readonly string[] => {
  const hiding = [file.replace(/\.d(\.m?ts)$/, '$1'), file.replace(/\.d\.ts$/, '.tsx')];
  return [
    ...(findsCore(file) ? [] : [`${CORE} cannot be found from there, ${LEFT_OUT}: npm install ${CORE}`]),
    ...hiding
      .filter((path) => path !== file && existsSync(path))
      .map((path) => `${path} beside it has its name, ${LEFT_OUT}: give --out another name`),
  ];
};

/**
 * Whether a file there finds what it adds to. Where packages see only what they name, as with pnpm, it need not. Looked
 * for as compilers do, upwards and nowhere else: Node would also look where `NODE_PATH` says, which pnpm sets.
 */
const findsCore = (file: string): boolean => {
  // Yarn's Plug'n'Play has no folders to look into.
  if (process.versions['pnp']) return true;
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', CORE, 'package.json'))) return true;
    if (folder === dirname(folder)) return false;
  }
};

/** The lines of flags that are in one text only. */
const difference = (before: string, after: string): string => {
  const flags = (text: string) => text.split('\n').filter((line) => line.startsWith('    '));
  const [old, fresh] = [flags(before), flags(after)];
  return [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `\n-${line.slice(3)}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `\n+${line.slice(3)}`),
  ].join('');
};

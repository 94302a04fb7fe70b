import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeDeclaration } from './declaration.ts';
import { keepDeclaration } from './keep-declaration.ts';
import { readRuleset, TypegenError } from './read-ruleset.ts';
import { readSchemas } from './read-schemas.ts';
import { compareFile, updateFile } from './update-file.ts';

const USAGE = `flagsvc-typegen: writes a TypeScript declaration of an environment's flags

  flagsvc-typegen ruleset.json --out src/flags.d.ts
  FLAGSVC_API_KEY=sdk-… flagsvc-typegen https://flags.example.com/api/v1 --out src/flags.d.ts

  --out FILE      the file to write; default: standard output
  --check         write nothing, and fail if FILE is out of date; for CI
  --watch         write FILE, and again after each change of the flags, until Ctrl-C
  --schemas DIR   take the types of JSON flags from DIR/<flag key>.schema.json, a JSON Schema
  --api-key KEY   an SDK key. Prefer FLAGSVC_API_KEY, which is not shown in the process list.
                  A key of kind client sees only the flags for visitors.

Exit codes: 0 done, or up to date; 1 out of date (--check); 2 error.
`;

/** The parts of its process that the command uses. */
export interface TypegenProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Ends --watch. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs one command line and resolves to its exit code; never rejects. */
export const runTypegen = async (
  args: readonly string[],
  { env, print, printError, signal = new AbortController().signal }: TypegenProcess,
): Promise<number> => {
  const fail = (message: string) => {
    printError(`flagsvc-typegen: ${message}\n`);
    return 2;
  };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        check: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
        schemas: { type: 'string' },
        'api-key': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const [source, ...more] = positionals;
    if (values.help) {
      print(USAGE);
      return 0;
    }
    if (!source || more.length > 0)
      return fail('pass one ruleset: a file or the address of an API; see --help');
    if (values.check && !values.out) return fail('--check compares with a file; pass --out FILE');
    if (values.watch && (values.check || !values.out))
      return fail('--watch writes a file; pass --out FILE, and no --check');
    const apiKey = values['api-key'] ?? env['FLAGSVC_API_KEY'];
    const warn = (line: string) => printError(`flagsvc-typegen: ${line}\n`);
    if (values.watch) {
      const out = values.out!;
      for (const line of obstacles(out)) warn(line);
      const ended = once(signal, 'abort');
      const onWritten = () => print(`wrote ${out}\n`);
      const { schemas } = values;
      await keepDeclaration({ source, apiKey, out, schemas, signal, onWritten, onFault: warn });
      await ended;
      return 0;
    }
    const ruleset = await readRuleset(source, apiKey, warn);
    const text = writeDeclaration(ruleset, await readSchemas(values.schemas));
    if (!values.out) {
      print(text);
      return 0;
    }
    if (values.check) return await checkFile(values.out, text, printError);
    await updateFile(values.out, text);
    for (const line of obstacles(values.out)) warn(line);
    return 0;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof TypegenError || code?.startsWith('ERR_PARSE_ARGS')) return fail(message);
    return fail(`${message} (${code ?? 'unexpected'})`);
  }
};

/** The exit code of --check: 1, with the differences, if the file is out of date. */
const checkFile = async (file: string, text: string, printError: (text: string) => void): Promise<number> => {
  const { before, isSame } = await compareFile(file, text);
  if (isSame) return 0;
  printError(
    `flagsvc-typegen: ${file} is out of date${difference(before ?? '', text)}\nRun it without --check, and commit the file.\n`,
  );
  return 1;
};

const CORE = '@flagsvc/sdk-core';
const IGNORED = 'so the compiler would ignore the declaration silently';

/** Reasons why a compiler would ignore a declaration at this path, with remedies. */
const obstacles = (file: string): readonly string[] => {
  const hiding = [file.replace(/\.d(\.m?ts)$/, '$1'), file.replace(/\.d\.ts$/, '.tsx')];
  return [
    ...(findsCore(file) ? [] : [`${CORE} cannot be found from there, ${IGNORED}: npm install ${CORE}`]),
    ...hiding
      .filter((path) => path !== file && existsSync(path))
      .map((path) => `${path} has the same name, ${IGNORED}: choose another name with --out`),
  ];
};

/**
 * True if a file at this path can import sdk-core, which the file augments. With pnpm, only a package that depends on
 * sdk-core can import it. Searches the parent folders as compilers do. Node's own search would also use `NODE_PATH`,
 * which pnpm sets.
 */
const findsCore = (file: string): boolean => {
  // Yarn's Plug'n'Play has no folders to search.
  if (process.versions['pnp']) return true;
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', CORE, 'package.json'))) return true;
    if (folder === dirname(folder)) return false;
  }
};

/** The flags that are in only one of the two texts, as lines of a diff. */
const difference = (before: string, after: string): string => {
  const flags = (text: string) => text.split('\n').filter((line) => line.startsWith('    '));
  const [old, fresh] = [flags(before), flags(after)];
  return [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `\n-${line.slice(3)}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `\n+${line.slice(3)}`),
  ].join('');
};

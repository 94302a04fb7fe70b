/** Engines that come as a shell: they run one classic script, which prints the answers. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { type Engine, installed, output } from './engine.ts';

interface Shell extends Pick<Engine, 'name' | 'engine'> {
  /** Its path, or a name that the machine knows; undefined where there is none. */
  readonly program: string | undefined;
  version(program: string): Promise<string>;
  /** How its script says the text that stands in the file. */
  readText(path: string, text: string): string;
  /** The classic script as this engine can read it. */
  readonly dress?: (classic: string) => string;
}

const createShell = ({
  name,
  engine,
  program,
  version,
  readText,
  dress = (same) => same,
}: Shell): Engine => ({
  name,
  engine,
  async run({ classic }, questions) {
    if (!program) return { missing: 'not installed' };
    if (spawnSync('which', [program]).status !== 0) return { missing: 'not installed on this machine' };
    const folder = mkdtempSync(join(tmpdir(), 'flagsvc-runtimes-'));
    try {
      const path = join(folder, 'questions.json');
      writeFileSync(path, questions);
      const script = `${dress(classic)}\nprint(flagsvc.answersTo(${readText(path, questions)}));`;
      writeFileSync(join(folder, 'answers.js'), script);
      // What is printed ends with a line end of its own.
      const answers = (await output(program, [join(folder, 'answers.js')])).slice(0, -1);
      return { version: await version(program), answers };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** The version of a Debian package. */
const debian = (name: string) => async (): Promise<string> => {
  // "name", a tab, and the version with Debian's own revision behind a hyphen.
  const line = await output('dpkg-query', ['-W', name]).catch(() => '');
  return /\t([^-\s]+)/.exec(line)?.[1] ?? 'unknown';
};

/**
 * What React Native does for a Hermes of 2022: syntax brought down to ES5, since its `let` is one variable for all
 * turns of a loop; `Array.prototype.at`; and lone surrogates as a class, since it knows no properties of characters.
 */
const forOldHermes = (classic: string): string => {
  const { ES5 } = ts.ScriptTarget;
  const at = 'function (n) { return this[n < 0 ? this.length + n : n]; }';
  const { outputText } = ts.transpileModule(classic.replaceAll('\\p{Cs}', '[\\ud800-\\udfff]'), {
    compilerOptions: { target: ES5, downlevelIteration: true, ignoreDeprecations: '6.0' },
  });
  return `Object.defineProperty(Array.prototype, 'at', { value: ${at} });\n${outputText}`;
};

/** Debian: `libjavascriptcoregtk-4.0-bin` and `gjs`; npm: `hermes-engine-cli`. */
export const shells: readonly Engine[] = [
  createShell({
    name: 'WebKitGTK',
    engine: 'JavaScriptCore',
    program: 'jsc',
    version: debian('libjavascriptcoregtk-4.0-bin'),
    readText: (path) => `readFile(${JSON.stringify(path)})`,
  }),
  createShell({
    name: 'GJS',
    engine: 'SpiderMonkey',
    program: 'gjs',
    version: debian('gjs'),
    readText: (path) =>
      `new TextDecoder().decode(imports.gi.GLib.file_get_contents(${JSON.stringify(path)})[1])`,
  }),
  createShell({
    name: 'Hermes, as ES5',
    engine: 'Hermes',
    program: installed(
      `hermes-engine-cli/${{ darwin: 'osx', win32: 'win64' }[process.platform as string] ?? 'linux64'}-bin/hermes`,
    ),
    version: async (program) =>
      /release version: (\S+)/.exec(await output(program, ['--version']))?.[1] ?? 'unknown',
    // It reads no files.
    readText: (_path, text) => JSON.stringify(text),
    dress: forOldHermes,
  }),
];

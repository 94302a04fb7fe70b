/** Command-line JavaScript shells: they run one classic script, which prints the answers. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { type Engine, installed, output } from './engine.ts';

interface Shell extends Pick<Engine, 'name' | 'engine'> {
  /** The program's path, or its name on the PATH; undefined when it does not exist for this platform. */
  readonly program: string | undefined;
  version(program: string): Promise<string>;
  /** A JavaScript expression that gives the text, which is also in the file at `path`. */
  readText(path: string, text: string): string;
  /** Rewrites the classic script for this engine. */
  readonly transform?: (classic: string) => string;
}

const createShell = ({
  name,
  engine,
  program,
  version,
  readText,
  transform = (same) => same,
}: Shell): Engine => ({
  name,
  engine,
  async run({ classic }, input) {
    if (!program) return { missing: 'not installed' };
    if (spawnSync('which', [program]).status !== 0) return { missing: 'not installed on this machine' };
    const folder = mkdtempSync(join(tmpdir(), 'flagsvc-runtimes-'));
    try {
      const path = join(folder, 'input.json');
      writeFileSync(path, input);
      const script = `${transform(classic)}\nprint(flagsvc.evaluateAll(${readText(path, input)}));`;
      writeFileSync(join(folder, 'evaluate-all.js'), script);
      // `print` adds a line end.
      const answers = (await output(program, [join(folder, 'evaluate-all.js')])).slice(0, -1);
      return { version: await version(program), answers };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** The version of a Debian package. */
const debian = (name: string) => async (): Promise<string> => {
  // The line is the name, a tab, and the version; Debian's own revision follows a hyphen.
  const line = await output('dpkg-query', ['-W', name]).catch(() => '');
  return /\t([^-\s]+)/.exec(line)?.[1] ?? 'unknown';
};

/**
 * Transforms the script as React Native's build does for a Hermes of 2022. It compiles to ES5, because that Hermes does
 * not bind `let` anew in each iteration of a loop; it adds `Array.prototype.at`; and it replaces `\p{Cs}` with a range,
 * because that Hermes does not support property escapes.
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
    // This shell cannot read files.
    readText: (_path, text) => JSON.stringify(text),
    transform: forOldHermes,
  }),
];

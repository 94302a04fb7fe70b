/** Engines of the machine that come as a shell: they run a classic script with a file beside it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, output } from './engine.ts';

/** `read` is how the shell's script reads the file `questions.json` as a text; `deb` is what Debian calls the shell. */
function shell(name: string, engine: string, program: string, deb: string, read: string): Engine {
  return {
    name,
    engine,
    async run({ classic }, questions) {
      if (spawnSync('which', [program]).status !== 0) return { missing: 'not installed on this machine' };
      // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own notation
      const version = await output('dpkg-query', ['-W', '-f=${Version}', deb]).catch(() => 'unknown');
      const folder = mkdtempSync(join(tmpdir(), 'flagsvc-runtimes-'));
      try {
        const path = join(folder, 'questions.json');
        writeFileSync(path, questions);
        const script = `${classic}\nprint(flagsvc.answersTo(((path) => ${read})(${JSON.stringify(path)})));`;
        writeFileSync(join(folder, 'answers.js'), script);
        // What is printed ends with a line end of its own.
        const answers = (await output(program, [join(folder, 'answers.js')])).slice(0, -1);
        return { version: version.replace(/-.*/, ''), answers };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Debian: `libjavascriptcoregtk-4.0-bin` and `gjs`. */
export const shells: readonly Engine[] = [
  shell('WebKitGTK', 'JavaScriptCore', 'jsc', 'libjavascriptcoregtk-4.0-bin', 'readFile(path)'),
  shell(
    'GJS',
    'SpiderMonkey',
    'gjs',
    'gjs',
    'new TextDecoder().decode(imports.gi.GLib.file_get_contents(path)[1])',
  ),
];

/** Command-line runtimes that can read files: they run `host.mjs`, which imports the module. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Engine, installed, output } from './engine.ts';

const host = fileURLToPath(new URL('./host.mjs', import.meta.url));

/** `path` is relative to node_modules; `args` come before the script. */
function command(name: string, engine: string, path: string, args: readonly string[] = []): Engine {
  return {
    name,
    engine,
    async run({ module }, input) {
      const program = installed(path);
      if (!program) return { missing: 'not installed' };
      const version = (await output(program, ['--version'])).match(/\d+\.\d+\.\d+/)?.[0] ?? 'unknown';
      const folder = mkdtempSync(join(tmpdir(), 'flagsvc-runtimes-'));
      try {
        copyFileSync(host, join(folder, 'host.mjs'));
        writeFileSync(join(folder, 'evaluate-all.mjs'), module);
        writeFileSync(join(folder, 'input.json'), input);
        return { version, answers: await output(program, [...args, join(folder, 'host.mjs')]) };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

export const commands: readonly Engine[] = [
  command('Node 22', 'V8', 'node-22/bin/node'),
  command('Node 24', 'V8', 'node-24/bin/node'),
  command('Node 26', 'V8', 'node-26/bin/node'),
  command('Bun', 'JavaScriptCore', '.bin/bun', ['run']),
  command('Deno', 'V8', '.bin/deno', ['run', '--allow-read', '--no-config']),
];

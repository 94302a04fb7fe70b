/** A reader who follows a quick start in a shell, beside a clone named `flagsvc`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../sources.ts';
import type { Step } from './readme.ts';

/** True when the packages of others come from the npm registry, as for a real reader. */
const isOnline: boolean = process.env['FLAGSVC_QUICK_STARTS'] === 'online';

/** The longest that a quick start may take. Here, only a busy machine makes it long; the registry takes minutes. */
export const PATIENCE_MS: number = isOnline ? 600_000 : 120_000;

/** Packing is shared by all readers, and `npm` works without a network. */
const PRELUDE = `
set -eu
npm() {
  case "$1 $2" in
    'run pack') ;;
    install*) shift; ${isOnline ? 'command npm install "$@"' : `node ${join(import.meta.dirname, 'install.mjs')} "$@"`} ;;
    *) command npm "$@" ;;
  esac
}
`;

export interface Reader {
  /** Everything that the commands have printed. */
  output(): string;
  /** Resolves with the match when the output matches. Rejects with the output when the commands end before, or when it takes too long. */
  reads(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  /** Resolves with the exit code of the last command. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

/** What differs between the reader's computer and the test's. */
export interface Surroundings {
  /** The clone in which `npm start` runs. Each reader has a folder `flagsvc` that leads to it, and nothing beside it. */
  readonly clone: string;
  /** Where the first command runs. Default: the reader's clone. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces texts of the page: ports, which may be taken, and the key that the page tells the reader to insert. */
  readonly replace?: Readonly<Record<string, string>>;
}

/** Follows the steps in one shell. Files are saved in the folder that the shell is in. */
export function follow(
  steps: readonly Step[],
  { clone, folder, env = {}, replace = {} }: Surroundings,
): Reader {
  const home = mkdtempSync(join(clone, '..', 'reader-'));
  const own = join(home, 'flagsvc');
  mkdirSync(own);
  for (const part of ['dist', '.data']) symlinkSync(join(clone, part), join(own, part));
  let script = steps.map((step) => ('command' in step ? step.command : save(step))).join('\n');
  for (const [from, to] of Object.entries(replace)) script = script.replaceAll(from, to);
  const child = spawn('bash', ['-c', `${PRELUDE}\n${script}`], {
    cwd: folder ?? own,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...minimal(home),
      INSTALLED_PACKAGES: join(root, 'node_modules'),
      npm_config_update_notifier: 'false',
      npm_config_fund: 'false',
      npm_config_audit: 'false',
      ...env,
    },
  });
  return watch(child);
}

/** No variable of the test must reach the reader's programs. npm's settings for its registry are the reader's own. */
function minimal(home: string): Record<string, string | undefined> {
  const { FLAGSVC_QUICK_STARTS: _, ...env } = process.env;
  const path = `${join(process.execPath, '..')}:${env['PATH']}`;
  if (isOnline) return { ...env, PATH: path };
  return { PATH: path, LANG: 'C.UTF-8', HOME: home, npm_config_offline: 'true' };
}

function save({ file, text }: { readonly file: string; readonly text: string }): string {
  return `cat > ${file} <<'END OF FILE'\n${text}END OF FILE\n`;
}

function watch(child: ChildProcess): Reader {
  let text = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    ended,
    output: () => text,
    reads: (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`the reader did not see ${pattern}, but:\n${text}`));
        const timer = setTimeout(fail, PATIENCE_MS);
        const look = () => {
          const found = pattern.exec(text.slice(from));
          if (!found) return;
          clearTimeout(timer);
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        void ended.then(() => {
          look();
          clearTimeout(timer);
          fail();
        });
      }),
    async stop() {
      try {
        process.kill(-child.pid!, 'SIGTERM');
      } catch {
        // It has ended.
      }
      await ended;
    },
  };
}

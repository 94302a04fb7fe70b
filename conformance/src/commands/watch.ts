import { type FSWatcher, watch } from 'node:fs';
import { sep } from 'node:path';
import { UsageError } from './options.ts';

/** How long files must stay unchanged before a new run starts: an editor or a compiler writes several at once. */
const QUIET_MS = 200;

/** Directories with generated files. A build that the adapter's command starts must not start the next run. */
const GENERATED = new Set(['node_modules', '__pycache__', 'target', 'build', 'dist', 'out', 'bin', 'obj']);

const isSource = (path: string): boolean =>
  path.split(sep).every((name) => !name.startsWith('.') && !GENERATED.has(name));

/** Reports changes of source files. */
export interface SourceWatcher {
  /** Resolves once a file has changed since the last call and no more changes follow. */
  changed(): Promise<void>;
  close(): void;
}

/** Watches directories with everything below them. Throws a UsageError if one cannot be watched. */
export const createSourceWatcher = (directories: readonly string[]): SourceWatcher => {
  let isDirty = false;
  let timer: NodeJS.Timeout | undefined;
  let wake: (() => void) | undefined;
  const settle = () => {
    isDirty = true;
    wake?.();
  };
  const watchers = directories.map((directory): FSWatcher => {
    try {
      return watch(directory, { recursive: true }, (_event, name) => {
        if (name !== null && !isSource(name)) return;
        clearTimeout(timer);
        timer = setTimeout(settle, QUIET_MS);
      });
    } catch (error) {
      throw new UsageError(`--watch ${directory} cannot be watched: ${(error as Error).message}`);
    }
  });
  return {
    async changed() {
      if (!isDirty) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      isDirty = false;
      wake = undefined;
    },
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
};

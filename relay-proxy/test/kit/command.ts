import { fileURLToPath } from 'node:url';

/** The command for `--adapter` that starts an adapter of this folder. */
export function adapterCommand(name: string): string {
  const path = fileURLToPath(new URL(name, import.meta.url));
  return [process.execPath, '--conditions=@flagsvc/source', path]
    .map((word) => JSON.stringify(word))
    .join(' ');
}

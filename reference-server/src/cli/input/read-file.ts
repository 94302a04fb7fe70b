import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { CliError, EXIT } from '../output/errors.ts';
import type { Terminal } from '../output/terminal.ts';

/** The text of a file; `-` reads standard input. Throws FILE_UNREADABLE. */
export async function readDocument(terminal: Terminal, file: string): Promise<string> {
  return file === '-' ? terminal.readInput() : readTextFile(file);
}

/** The text of a file. Throws FILE_UNREADABLE. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliError(isMissing ? `File ${file} does not exist.` : (error as Error).message, {
      code: 'FILE_UNREADABLE',
      exitCode: EXIT.usage,
    });
  }
}

/** Parses YAML or JSON. Throws FILE_INVALID with file, line and column. */
export function parseDocument(text: string, file: string): unknown {
  try {
    return load(text, { filename: file });
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { line: number; column: number } };
    const place = mark === undefined ? file : `${file}:${mark.line + 1}:${mark.column + 1}`;
    throw unusableFile(`${place}: this is neither YAML nor JSON: ${reason ?? (error as Error).message}.`);
  }
}

/** The error for a file with the wrong content. */
export function unusableFile(message: string): CliError {
  return new CliError(message, { code: 'FILE_INVALID', exitCode: EXIT.usage });
}

/** Replaces `@file` by the lines of the file. */
export function expandLists(values: readonly string[] = []): readonly string[] {
  return values.flatMap((value) =>
    value.startsWith('@') && value.length > 1
      ? readTextFile(value.slice(1))
          .split(/\r?\n/)
          .map((line) => line.trim())
          .filter(Boolean)
      : [value],
  );
}

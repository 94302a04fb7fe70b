import { usageError } from '../output/errors.ts';
import type { Session } from '../session/session.ts';

/**
 * Asks for secrets in hidden prompts, or reads them from standard input, one a line, with `--password-stdin`. They are
 * never arguments, because process lists and shell histories show these.
 */
export async function readSecrets(session: Session, prompts: readonly string[]): Promise<readonly string[]> {
  const { terminal, options } = session;
  if (options['password-stdin'] === true) {
    const lines = (await terminal.readInput()).replace(/\r?\n$/, '').split(/\r?\n/);
    const missing = prompts[lines.length];
    if (missing !== undefined) {
      throw usageError(
        `Standard input contains no "${missing}".`,
        `Write one a line: ${prompts.join(', ')}.`,
      );
    }
    return lines;
  }
  if (!terminal.isInteractive) {
    throw usageError(
      `Cannot prompt for ${prompts.join(' and ')}: this is not a terminal.`,
      `Use --password-stdin, with one a line: ${prompts.join(', ')}.`,
    );
  }
  const secrets: string[] = [];
  for (const prompt of prompts) secrets.push(await terminal.ask(`${prompt}: `, { hidden: true }));
  return secrets;
}

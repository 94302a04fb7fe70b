import { usageError } from '../output/errors.ts';
import type { Session } from '../session/session.ts';

/** The headers and the query for `--break-glass` and `--dry-run`. */
export function changeOptions({ options }: Session) {
  const given = headerText('--break-glass', options['break-glass']);
  const isSession = given !== undefined && /^bgl_\w+$/.test(given);
  return {
    headers: isSession ? { 'x-break-glass': given } : { 'x-break-glass-justification': given },
    query: { dry_run: options['dry-run'] === true ? true : undefined },
  };
}

/** The options of `changeOptions` for a request without a body, with the comment in a header. */
export function bodilessChangeOptions(session: Session) {
  const { headers, query } = changeOptions(session);
  const comment = headerText('--comment', session.options.comment);
  return { headers: { ...headers, 'x-change-comment': comment }, query };
}

/** Encodes a header's text: the server reads these headers as UTF-8, but fetch encodes every header as Latin-1. */
function headerText(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/\p{Cc}/u.test(text)) throw usageError(`${option} must be a single line for this command.`);
  return Buffer.from(text, 'utf8').toString('latin1');
}

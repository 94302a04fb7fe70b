import type { EnvironmentRecord } from '../features/environments/environment-service.ts';
import type { PlannedChange } from '../http/dry-run.ts';
import { CliError, EXIT, usageError } from './errors.ts';
import type { Session } from './session.ts';
import { cellText, renderTable } from './table.ts';

/** The headers and the query that `--break-glass` and `--dry-run` stand for. */
export function writeParts({ options }: Session): {
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, boolean | undefined>>;
} {
  return {
    headers: headerOf('x-break-glass-justification', '--break-glass', options['break-glass']),
    query: { dry_run: options['dry-run'] === true ? true : undefined },
  };
}

/** The same for calls that have no body, with the comment. */
export function bodilessParts(session: Session): ReturnType<typeof writeParts> {
  const { headers, query } = writeParts(session);
  const comment = headerOf('x-change-comment', '--comment', session.options.comment);
  return { headers: { ...headers, ...comment }, query };
}

/** Headers are bytes, and the server reads these as UTF-8. */
function headerOf(name: string, option: string, text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  if (/\p{Cc}/u.test(text)) throw usageError(`${option} is one line here.`);
  return { [name]: Buffer.from(text, 'utf8').toString('latin1') };
}

/** `comment`, if there is one, as a field of the body. */
export function commentOf({ options }: Session): { comment?: string } {
  return { ...(options.comment !== undefined && { comment: options.comment }) };
}

/** Asks before an environment is changed that wants to be asked (`confirm_changes`). Throws when the answer is no. */
export async function confirmChange(
  { options, terminal }: Session,
  environment: Pick<EnvironmentRecord, 'key' | 'confirm_changes'>,
  what: string,
): Promise<void> {
  if (!environment.confirm_changes || options.yes === true || options['dry-run'] === true) return;
  if (!terminal.isInteractive) {
    throw new CliError(`Changes of ${environment.key} have to be confirmed.`, {
      code: 'CONFIRMATION_REQUIRED',
      exitCode: EXIT.usage,
      hint: 'Add --yes if you mean it.',
    });
  }
  const answer = await terminal.ask(`${what} in ${environment.key}? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.', { code: 'NOT_CONFIRMED' });
}

type Plan = readonly PlannedChange[];

/** What a dry run answered, or undefined when something was really done. */
export function planIn(answer: unknown): Plan | undefined {
  const { plan } = (answer ?? {}) as { plan?: Plan };
  return Array.isArray(plan) ? plan : undefined;
}

export function renderPlan(plan: Plan): string {
  if (plan.length === 0) return 'Nothing would change.\n';
  return renderTable(
    plan.flatMap(({ action, resource, changes, gate }) => {
      const verdict = gate.allowed ? 'allowed' : `refused: ${gate.code}`;
      const fields = Object.entries(changes);
      const first = { action, key: resource?.key ?? resource?.id, verdict };
      return fields.length === 0
        ? [{ ...first, field: '', from: '', to: '' }]
        : fields.map(([field, { from, to }], index) => ({
            ...(index === 0 ? first : { action: ' ', key: ' ', verdict: ' ' }),
            field,
            from: cellText(from),
            to: cellText(to),
          }));
    }),
    [
      { head: 'WOULD', cell: (row) => row.action },
      { head: 'RESOURCE', cell: (row) => row.key },
      { head: 'FIELD', cell: (row) => row.field },
      { head: 'FROM', cell: (row) => row.from },
      { head: 'TO', cell: (row) => row.to },
      { head: 'GATE', cell: (row) => row.verdict },
    ],
  );
}

/** Shows what a write answered: the plan of a dry run, or what was done. */
export function showWritten<T>(session: Session, answer: T, text: (done: T) => string): void {
  const plan = planIn(answer);
  session.show(answer, () => (plan === undefined ? text(answer) : renderPlan(plan)));
}

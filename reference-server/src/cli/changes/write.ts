import type { DryRun, Environment, Project } from '../client/document.ts';
import { repeatWithYes, type Where, withCommands } from '../help/hints.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { cellText, renderTable, warningText } from '../output/table.ts';
import type { Session } from '../session/session.ts';

/** The headers and the query that `--break-glass` and `--dry-run` stand for. */
export function writeParts({ options }: Session) {
  const given = headerText('--break-glass', options['break-glass']);
  const isSession = given !== undefined && /^bgl_\w+$/.test(given);
  return {
    headers: isSession ? { 'x-break-glass': given } : { 'x-break-glass-justification': given },
    query: { dry_run: options['dry-run'] === true ? true : undefined },
  };
}

/** The same for calls that have no body, with the comment. */
export function bodilessParts(session: Session) {
  const { headers, query } = writeParts(session);
  const comment = headerText('--comment', session.options.comment);
  return { headers: { ...headers, 'x-change-comment': comment }, query };
}

/** Headers are bytes, and the server reads these as UTF-8. */
function headerText(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/\p{Cc}/u.test(text)) throw usageError(`${option} is one line here.`);
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Asks before a change in an environment that wants to be asked (`confirm_changes`). Throws when the answer is no. */
export async function confirmIn(
  session: Session,
  { project, environment }: { readonly project?: Where['project']; readonly environment: Environment },
  what: string,
): Promise<void> {
  const where = { project, environment };
  session.remember(where);
  const { key } = environment;
  // Most installations have one project, and its name says nothing.
  const name = project === undefined || project.key === 'default' ? key : `${project.key}/${key}`;
  if (environment.confirm_changes) await confirm(session, { what, name, where });
}

/** The same of a change that shows in all environments of a project. */
export async function confirmEverywhere(
  session: Session,
  { project, environments }: { readonly project: Project; readonly environments: readonly Environment[] },
  what: string,
): Promise<void> {
  const asking = environments.filter((environment) => environment.confirm_changes).map(({ key }) => key);
  if (asking.length === 0) return;
  const name = `every environment, ${asking.join(' and ')} among them,`;
  await confirm(session, { what, name, where: { project } });
}

/** Asks before what cannot be taken back, wherever it is. */
export async function confirm(
  session: Session,
  { what, name, where = {} }: { readonly what: string; readonly name: string; readonly where?: Where },
): Promise<void> {
  const { options, terminal } = session;
  if (options.yes === true || options['dry-run'] === true) return;
  if (!terminal.isInteractive) {
    throw new CliError(`Changes of ${name} have to be confirmed.`, {
      code: 'CONFIRMATION_REQUIRED',
      exitCode: EXIT.usage,
      hint: withCommands('Add --yes if you mean it:', repeatWithYes(session, where)),
    });
  }
  const answer = await terminal.ask(`${what} in ${name.replace(/,$/, '')}? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.', { code: 'NOT_CONFIRMED' });
}

/** Whether this is what a dry run answered: nothing was really done. */
function isDryRun(answer: object): answer is DryRun {
  return 'plan' in answer && Array.isArray(answer.plan);
}

function renderPlan({ plan }: DryRun): string {
  if (plan.length === 0) return 'Nothing would change.\n';
  const table = renderTable(
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
  return table + plan.flatMap(({ warnings }) => warnings.map(warningText)).join('');
}

/** Shows what a write answered: the plan of a dry run, or what was done. */
export function showWritten<Done extends object>(
  session: Session,
  answer: Done | DryRun,
  text: (done: Done) => string,
): void {
  session.show(answer, () => (isDryRun(answer) ? renderPlan(answer) : text(answer)));
}

import type { DryRun } from '../client/document.ts';
import { cellText, renderTable, warningText } from '../output/table.ts';
import type { Session } from '../session/session.ts';

/** Shows the result of a change: the plan of a dry run, or `text`. */
export function showChange<Done extends object>(
  session: Session,
  result: Done | DryRun,
  text: (done: Done) => string,
): void {
  session.show(result, () => (isDryRun(result) ? renderPlan(result) : text(result)));
}

function isDryRun(result: object): result is DryRun {
  return 'plan' in result && Array.isArray(result.plan);
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
      { head: 'ACTION', cell: (row) => row.action },
      { head: 'RESOURCE', cell: (row) => row.key },
      { head: 'FIELD', cell: (row) => row.field },
      { head: 'FROM', cell: (row) => row.from },
      { head: 'TO', cell: (row) => row.to },
      { head: 'ALLOWED', cell: (row) => row.verdict },
    ],
  );
  return table + plan.flatMap(({ warnings }) => warnings.map(warningText)).join('');
}

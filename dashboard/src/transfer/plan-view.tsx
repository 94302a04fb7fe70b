import { useState } from 'react';
import type { Environment } from '../api/types.ts';
import { changeLines } from '../app/change-words/change-lines.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { formatMoment } from '../i18n/format-time.ts';
import { Badge, EnvironmentBadge } from '../ui/badge.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Diff } from '../ui/diff.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import type { ImportFault, ImportRecord, PlannedChange } from './import-draft.ts';
import { t } from './messages.ts';
import styles from './transfer.module.css';
import { countOf, type ImportPlan } from './use-import.ts';

const words = t.plan;
/** More rows are shown on demand. */
const ROWS = 50;

interface PlanViewProps {
  readonly plan: ImportPlan;
  readonly hasGlass: boolean;
  readonly onApply: (id: string) => void;
  readonly onCheck: () => void;
  readonly onCancel: () => void;
}

/** What the import would do, row by row, and what keeps it from being done. */
export function PlanView({ plan, ...rest }: PlanViewProps) {
  const { record, faults } = plan;
  if (faults.length > 0 || record === undefined) return <Faults faults={faults} />;
  if (countOf(record) === 0)
    return (
      <Notice tone="good" title={words.nothing} isUrgent>
        {words.nothingText}
      </Notice>
    );
  return <Preview record={record} changes={plan.changes} {...rest} />;
}

function Preview(
  props: Omit<PlanViewProps, 'plan'> & {
    readonly record: ImportRecord;
    readonly changes: readonly PlannedChange[];
  },
) {
  const { record, changes, hasGlass, onApply, onCheck, onCancel } = props;
  const { hrefTo } = useScope();
  const refused = changes.filter(({ gate }) => !gate.allowed);
  const isFrozen = refused.some(({ gate }) => gate.code === 'FREEZE_WINDOW_ACTIVE');
  const count = countOf(record);
  return (
    <section className={styles.plan} aria-label={words.details}>
      <h3>{words.title(count, record.plan.unchanged)}</h3>
      {refused.length > 0 && (
        <Notice
          tone="warn"
          title={words.refusedTitle(refused.length)}
          isUrgent
          actions={
            <>
              {isFrozen && (
                <ButtonLink isSmall href={hrefTo('freezes', { 'break-glass': 'new' })}>
                  {words.frozen}
                </ButtonLink>
              )}
              <Button isSmall onPress={onCheck}>
                {words.checkAgain}
              </Button>
            </>
          }
        >
          {words.refusedText}
        </Notice>
      )}
      {hasGlass && <Note tone="warn">{words.glass}</Note>}
      {record.plan.warnings.length > 0 && (
        <Notice tone="warn" title={words.warnings}>
          {record.plan.warnings.map(({ message, remedy }) => (
            <span key={message} className={styles.warning}>
              {message} {remedy}
            </span>
          ))}
        </Notice>
      )}
      <Rows changes={changes} />
      <Note tone="faint">
        {record.plan.archive.flags.length > 0 && `${words.archiveNote} `}
        {words.backup}
      </Note>
      <Line>
        <Button
          kind="main"
          onPress={() => onApply(record.id)}
          whyNot={refused.length > 0 ? words.refusedFirst : undefined}
        >
          {words.apply(count)}
        </Button>
        <Button onPress={onCancel}>{t.cancel}</Button>
      </Line>
    </section>
  );
}

function Rows({ changes }: { readonly changes: readonly PlannedChange[] }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? changes : changes.slice(0, ROWS);
  return (
    <Stack gap="close">
      <ul className={styles.rows}>
        {shown.map((change, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan is drawn once, and a flag can have several changes.
          <Row key={index} change={change} />
        ))}
      </ul>
      {shown.length < changes.length && (
        <div>
          <Button kind="quiet" onPress={() => setAll(true)}>
            {words.showAll(changes.length)}
          </Button>
        </div>
      )}
    </Stack>
  );
}

function Row({ change: { action, resource, changes, gate } }: { readonly change: PlannedChange }) {
  const { environments } = useScope();
  const nameOf = useMemberNames();
  const environment = environments.find(({ id }) => id === resource?.environment_id);
  const verb = verbOf(action);
  return (
    <li>
      <Line>
        <Badge tone={verb === 'created' ? 'good' : verb === 'archived' ? 'bad' : 'info'}>
          {words.verbs[verb]}
        </Badge>
        <span className={styles.key}>
          {words.kinds[resource?.type ?? ''] ?? resource?.type} <code>{resource?.key ?? resource?.id}</code>
        </span>
        {environment && <EnvironmentBadge environment={environment} />}
      </Line>
      {!gate.allowed && <Note tone="bad">{refusalWords(gate, environments)}</Note>}
      {verb !== 'created' && Object.keys(changes).length > 0 && (
        <Diff lines={changeLines({ changes, action }, nameOf)} isPlain />
      )}
    </li>
  );
}

/** Why a change is refused; a freeze by its name and in the person's time. */
function refusalWords(
  { code, message, details }: PlannedChange['gate'],
  environments: readonly Environment[],
): string {
  const { name, environment_id: id, ends_at: end } = details ?? {};
  if (code !== 'FREEZE_WINDOW_ACTIVE' || typeof name !== 'string') return message ?? code ?? '';
  const place = environments.find((one) => one.id === id)?.name ?? '';
  return typeof end === 'string'
    ? words.frozenUntil(name, place, formatMoment(end))
    : words.frozenOpen(name, place);
}

function verbOf(action: string): keyof typeof words.verbs {
  const verb = action.split('.').at(-1);
  return verb === 'created' || verb === 'updated' || verb === 'archived' ? verb : 'other';
}

/** What in the file is wrong, row by row. */
function Faults({ faults }: { readonly faults: readonly ImportFault[] }) {
  return (
    <Stack>
      <Notice tone="bad" title={words.errorsTitle(faults.length)} isUrgent>
        {words.errorsText}
      </Notice>
      <table className={styles.faults} aria-label={words.errorsTitle(faults.length)}>
        <thead>
          <tr>
            <th scope="col">{words.where}</th>
            <th scope="col">{words.problem}</th>
          </tr>
        </thead>
        <tbody>
          {faults.map(({ path, key, message, details }) => (
            <tr key={`${path} ${message}`}>
              <th scope="row">
                {key !== undefined && <b>{key}</b>} <code>{placeOf(path, details)}</code>
              </th>
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Stack>
  );
}

function placeOf(path: string, details: unknown): string {
  const line = (details as { line?: unknown } | undefined)?.line;
  if (typeof line === 'number') return words.line(line);
  return path === '' ? words.wholeFile : path;
}

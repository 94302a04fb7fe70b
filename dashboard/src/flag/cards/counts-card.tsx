import { toProblem } from '../../api/problem.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { formatAnd, formatNumber } from '../../i18n/format-number.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { Link } from '../../ui/link.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import styles from '../flag.module.css';
import { t } from '../messages.ts';
import { type Names, Variation } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { useFlagNames } from '../use-flag-names.ts';
import type { Preview, usePreview } from '../use-preview.ts';

/** How many recorded users get each variation, now and after the edit. */
export function CountsCard(props: {
  readonly place: Place;
  readonly names: Names;
  readonly preview: ReturnType<typeof usePreview>;
  readonly isEdited: boolean;
}) {
  const { place, names, isEdited } = props;
  const { data: preview, error, refetch } = props.preview;
  const { hrefTo } = useScope();
  return (
    <Card title={t.counts.title}>
      {error ? (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      ) : !place.environment.record_contexts || preview?.contexts === 0 ? (
        <Stack gap="close">
          <Note isStrong>{t.counts.nobody}</Note>
          {place.environment.record_contexts ? (
            <Note tone="muted">{t.counts.nobodyText}</Note>
          ) : (
            <>
              <Note tone="muted">{t.counts.offText(place.environment.name)}</Note>
              <Link href={hrefTo('settings/environments')}>{t.counts.settings}</Link>
            </>
          )}
        </Stack>
      ) : preview === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <Stack gap="close">
          <Counts place={place} names={names} preview={preview} isEdited={isEdited} />
          {isEdited && (
            <Note tone="muted">
              {preview.changed === 0 ? t.counts.none : t.counts.other(preview.changed)}
              <Dependents dependents={preview.dependents} />
            </Note>
          )}
          {(preview.unrecorded_attributes?.length ?? 0) > 0 && (
            <Note tone="warn" isSmall>
              {t.counts.unrecorded(formatAnd(preview.unrecorded_attributes!))}
            </Note>
          )}
        </Stack>
      )}
    </Card>
  );
}

function Counts(props: {
  readonly place: Place;
  readonly names: Names;
  readonly preview: Preview;
  readonly isEdited: boolean;
}) {
  const { place, names, preview, isEdited } = props;
  const sum = (side: 'from' | 'to', key: string) =>
    preview.transitions.reduce((total, one) => (one[side] === key ? total + one.count : total), 0);
  return (
    <table className={styles.counts}>
      <thead>
        <tr>
          <th scope="col">{t.counts.of(formatNumber(preview.contexts))}</th>
          <th scope="col">{t.counts.now}</th>
          {isEdited && <th scope="col">{t.counts.after}</th>}
          {isEdited && (
            <th scope="col">
              <span className={styles.quiet}>{t.counts.change}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {place.flag.variations.map(({ key }) => {
          const [now, after] = [sum('from', key), sum('to', key)];
          return (
            <tr key={key}>
              <th scope="row">
                <Variation name={key} names={names} />
              </th>
              <td>{formatNumber(now)}</td>
              {isEdited && (
                <td>
                  <b>{formatNumber(after)}</b>
                </td>
              )}
              {isEdited && (
                <td>
                  <Delta value={after - now} />
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Delta({ value }: { readonly value: number }) {
  const tone = value > 0 ? 'good' : value < 0 ? 'bad' : 'faint';
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return (
    <Note tone={tone}>
      {sign}
      {formatNumber(Math.abs(value))}
    </Note>
  );
}

/** Flags that need this one and would change with it. */
function Dependents({ dependents }: Pick<Preview, 'dependents'>) {
  const keys = dependents.filter(({ changed }) => changed > 0).map(({ flag_key }) => flag_key);
  const nameOf = useFlagNames(keys);
  return keys.length === 0 ? null : ` ${t.counts.dependents(formatAnd(keys.map(nameOf)))}`;
}

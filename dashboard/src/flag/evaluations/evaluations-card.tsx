import { lazy, Suspense, useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import { readChoice, type SearchParams, useSearchState } from '../../app/navigation/use-search-state.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { formatCompact, formatNumber } from '../../i18n/format-number.ts';
import { formatDay, formatMoment, toMs } from '../../i18n/format-time.ts';
import { VariationChip } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { SegmentedControl } from '../../ui/choice.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { Card, EmptyState, Skeleton } from '../../ui/surface.tsx';
import { useNow } from '../../ui/time.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { ChangeList } from './change-list.tsx';
import { CountTable } from './count-table.tsx';
import styles from './evaluations.module.css';
import { t } from './messages.ts';
import { type Evaluations, evaluationsOf, RANGES, type Range } from './series.ts';
import { useChangesSince, useEvaluations } from './use-evaluations.ts';

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

const parse = (raw: SearchParams): { readonly evaluations: Range | undefined } => ({
  evaluations: readChoice(raw['evaluations'], RANGES),
});

/** How often apps asked for the flag, by variation, with the changes that explain a bend. */
export function EvaluationsCard({ place, names }: { readonly place: Place; readonly names: Names }) {
  const { environment, flag } = place;
  const [{ evaluations: range = '7d' }, setSearch] = useSearchState(parse);
  const { data, error, refetch } = useEvaluations(place, range);
  const nowMs = useNow(60_000);
  const variations = flag.variations.map(({ key }) => key);
  const evaluations = data && evaluationsOf(data, { range, variations, nowMs });
  return (
    <Card
      title={t.title(environment.name)}
      end={
        <SegmentedControl
          label={t.range}
          value={range}
          choices={RANGES.map((id) => ({ id, label: t.ranges[id] }))}
          onChange={(next) => setSearch({ evaluations: next }, { replace: true })}
        />
      }
    >
      {error !== null ? (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      ) : evaluations === undefined ? (
        <Skeleton lines={8} label={t.loading} />
      ) : evaluations.total === 0 ? (
        <NoEvaluations />
      ) : (
        <Drawn place={place} names={names} range={range} evaluations={evaluations} />
      )}
    </Card>
  );
}

function NoEvaluations() {
  const { hrefTo } = useScope();
  return (
    <EmptyState
      icon="chart"
      title={t.empty}
      actions={<ButtonLink href={hrefTo('settings/api-keys')}>{t.keys}</ButtonLink>}
    >
      {t.emptyText}
    </EmptyState>
  );
}

function Drawn(props: {
  readonly place: Place;
  readonly names: Names;
  readonly range: Range;
  readonly evaluations: Evaluations;
}) {
  const { place, names, range, evaluations } = props;
  const [point, setPoint] = useState<number>();
  const shown = evaluations.series.filter(({ total }) => total > 0);
  const drawn = { ...evaluations, series: shown };
  const changes = useChangesSince(place, evaluations.times[0]!);
  const called = (key: string | undefined) => seriesName(place, names, key);
  const colours = shown.map(({ key }) => (key === undefined ? 2 : ((names.series(key) - 1) % 5) + 1));
  return (
    <Stack>
      <ul className={styles.legend}>
        {shown.map(({ key, counts, total }, index) => (
          <li key={key ?? ''}>
            <VariationChip series={colours[index]!}>{called(key)}</VariationChip>
            <b>{point === undefined ? formatCompact(total) : formatNumber(counts[point] ?? 0)}</b>
          </li>
        ))}
        <li className={styles.at}>
          {point === undefined ? t.total(evaluations.total) : timeWords(range, evaluations.times[point]!)}
        </li>
      </ul>
      <Suspense fallback={<Skeleton lines={6} label={t.loading} />}>
        <Chart
          range={range}
          evaluations={drawn}
          colours={colours}
          changes={changes.map(({ timestamp: at }) => toMs(at))}
          point={point}
          onPoint={setPoint}
        />
      </Suspense>
      <CountTable range={range} evaluations={drawn} called={called} timeWords={timeWords} />
      {shown.some(({ key }) => key === undefined) && (
        <Note tone="faint" isSmall>
          {t.none}: {t.noneHelp}
        </Note>
      )}
      {changes.length > 0 && <ChangeList place={place} names={names} changes={changes} />}
    </Stack>
  );
}

function seriesName({ flag }: Place, names: Names, key: string | undefined): string {
  if (key === undefined) return t.none;
  return flag.variations.some((one) => one.key === key) ? names.variation(key) : t.removed(key);
}

/** An hour as the reader's clock shows it; a day is one of UTC. */
function timeWords(range: Range, ms: number): string {
  const instant = new Date(ms).toISOString();
  return range === '24h' ? formatMoment(instant) : formatDay(instant, ms, 'UTC');
}

import { formatPercent } from '../i18n/format-number.ts';
import { VariationChip } from '../ui/badge.tsx';
import styles from './flag.module.css';
import { t } from './messages.ts';
import { ShareBar } from './share-bar.tsx';
import { seriesOf, servingOf } from './state-words.ts';
import type { Place } from './use-flag.ts';
import type { Preview } from './use-preview.ts';

/** "Everyone gets one-page", "4 rules, otherwise classic", "40% get one-page, 60% classic, if its need holds". */
export function ServingWords({ place: { flag } }: { readonly place: Place }) {
  const serving = servingOf(flag);
  const series = seriesOf(flag);
  /** The comma after a variation stays on its line. */
  const chip = (key: string, hasComma: boolean) => (
    <span className={styles.together}>
      <VariationChip series={series(key)}>{nameOf(flag, key)}</VariationChip>
      {hasComma && ','}
    </span>
  );
  const first = serving.served[0]!;
  const isConditional = serving.needs > 0;
  const condition = isConditional && ` ${t.card.ifNeeds(serving.needs)}`;
  const { length: count } = serving.served;
  switch (serving.kind) {
    case 'off':
      return (
        <>
          {t.card.offGets} {chip(first.variation, false)}
        </>
      );
    case 'everyone':
      return (
        <>
          {t.card.everyone} {chip(first.variation, isConditional)}
          {condition}
        </>
      );
    default:
      return (
        <>
          {serving.kind === 'rules' && `${t.card.rules(serving.count)}, ${t.card.otherwise} `}
          {serving.kind === 'rules' && count === 1
            ? chip(first.variation, isConditional)
            : serving.served.map(({ variation, share }, index) => (
                <span key={variation}>
                  {formatPercent(share / 100)} {index === 0 && `${t.card.get} `}
                  {chip(variation, index < count - 1 || isConditional)}{' '}
                </span>
              ))}
          {condition}
        </>
      );
  }
}

/**
 * The shares of the sentence. With rules only counts tell them; without counts, the bar shows none. Counts also know
 * whether the flags that are needed first serve what they must.
 */
export function ServingBar({
  place: { flag },
  preview,
}: {
  readonly place: Place;
  readonly preview?: Preview | undefined;
}) {
  const series = seriesOf(flag);
  const { kind, needs, served } = servingOf(flag);
  if (kind === 'rules' || (needs > 0 && preview !== undefined))
    return <ShareBar isThin parts={preview === undefined ? [] : countedParts(preview, series)} />;
  return (
    <ShareBar
      isThin
      parts={served.map(({ variation, share }) => ({ series: flag.enabled ? series(variation) : 2, share }))}
    />
  );
}

function countedParts({ contexts, transitions }: Preview, series: (key: string) => number) {
  const counts = Map.groupBy(transitions, ({ from }) => from);
  const parts = [...counts].map(([key, moves]) => ({
    series: series(key),
    share: (100 * moves.reduce((total, { count }) => total + count, 0)) / contexts,
  }));
  return parts.toSorted((a, b) => a.series - b.series);
}

/** The name of a variation, or its key when it has none. */
export function nameOf(flag: Place['flag'], key: string): string {
  return flag.variations.find((variation) => variation.key === key)?.name || key;
}

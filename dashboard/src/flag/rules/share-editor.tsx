import { Slider, SliderThumb, SliderTrack } from 'react-aria-components';
import { Icon } from '../../ui/icon.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { t } from '../messages.ts';
import { ShareBar } from '../share-bar.tsx';
import type { Share } from './config.ts';
import { type Names, Variation } from './rule-sentence.tsx';
import styles from './rules.module.css';
import { boundariesOf, totals, withBoundaries, withShare } from './shares.ts';

/** The shares of a split, which always sum to 100: drag the boundaries, or type a share and the others make room. */
export function ShareEditor(props: {
  readonly shares: readonly Share[];
  readonly before: readonly Share[] | undefined;
  readonly names: Names;
  readonly onChange: (shares: readonly Share[]) => void;
}) {
  const { shares, before, names, onChange } = props;
  const was = totals(before ?? []);
  return (
    <div className={styles.split}>
      <BoundarySlider shares={shares} names={names} onChange={onChange} />
      <div className={styles.shares}>
        {shares.map(({ variation, percentage }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a variation can have two shares.
          <div key={index} className={styles.share}>
            <Variation name={variation} names={names} />
            <NumberField
              label={t.editor.shareOf(names.variation(variation))}
              isLabelHidden
              value={percentage}
              minValue={0}
              maxValue={100}
              unit="%"
              onChange={(value) => {
                if (!Number.isNaN(value)) onChange(withShare(shares, index, value));
              }}
            />
            <span className={styles.was}>
              {before !== undefined && (was.get(variation) ?? 0) !== percentage
                ? t.editor.was(was.get(variation) ?? 0)
                : ''}
            </span>
          </div>
        ))}
      </div>
      <p className={styles.sum}>
        <Icon name="check" isSmall />
        {t.editor.sum}
      </p>
    </div>
  );
}

function BoundarySlider(props: {
  readonly shares: readonly Share[];
  readonly names: Names;
  readonly onChange: (shares: readonly Share[]) => void;
}) {
  const { shares, names, onChange } = props;
  const parts = shares.map(({ variation, percentage }) => ({
    series: names.series(variation),
    share: percentage,
  }));
  if (shares.length < 2) return <ShareBar parts={parts} />;
  return (
    <Slider
      className={styles.slider}
      aria-label={t.editor.split}
      value={boundariesOf(shares)}
      onChange={(values) => onChange(withBoundaries(shares, values as number[]))}
      minValue={0}
      maxValue={100}
      step={1}
    >
      <SliderTrack className={styles.track}>
        <ShareBar parts={parts} />
        {shares.slice(0, -1).map(({ variation }, index) => (
          <SliderThumb
            // biome-ignore lint/suspicious/noArrayIndexKey: boundaries are known by their place.
            key={index}
            index={index}
            className={styles.thumb}
            aria-label={t.editor.boundary(
              names.variation(variation),
              names.variation(shares[index + 1]!.variation),
            )}
          />
        ))}
      </SliderTrack>
    </Slider>
  );
}

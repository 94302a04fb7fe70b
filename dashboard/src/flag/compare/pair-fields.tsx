import { EnvironmentMark } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import type { Place } from '../use-flag.ts';
import styles from './compare.module.css';
import { t } from './messages.ts';
import type { Pair } from './use-promotion.ts';

/** Which two environments, and in which direction. The other one steps aside when both would be the same. */
export function PairFields(props: {
  readonly places: readonly Place[];
  readonly pair: Pair;
  readonly onChange: (pair: Pair) => void;
}) {
  const { places, pair, onChange } = props;
  const { source, target } = pair;
  const options = places.map(({ environment: { id, name, type } }) => ({
    id,
    label: name,
    mark: <EnvironmentMark type={type} />,
  }));
  const choose = (side: keyof Pair, id: string) => {
    const place = places.find(({ environment }) => environment.id === id)!;
    const other = side === 'source' ? target : source;
    if (place.environment.id === other.environment.id) onChange({ source: target, target: source });
    else onChange({ ...pair, [side]: place });
  };
  return (
    <div className={styles.heads}>
      <Select
        label={t.from}
        options={options}
        value={source.environment.id}
        onChange={(id) => choose('source', id)}
      />
      <IconButton icon="swap" label={t.swap} onPress={() => onChange({ source: target, target: source })} />
      <Select
        label={t.to}
        options={options}
        value={target.environment.id}
        onChange={(id) => choose('target', id)}
      />
    </div>
  );
}

import { lazy, Suspense, useState } from 'react';
import type { Flag } from '../../api/types.ts';
import { IconButton } from '../../ui/button.tsx';
import { Line, Note } from '../../ui/layout.tsx';
import { Card } from '../../ui/surface.tsx';
import styles from '../flag.module.css';
import { t } from '../messages.ts';
import { type Names, Variation } from '../rules/rule-sentence.tsx';
import type { Edit } from '../rules/use-edit.ts';
import type { Place } from '../use-flag.ts';

const VariationsDrawer = lazy(async () => ({
  default: (await import('../variations/variations-drawer.tsx')).VariationsDrawer,
}));

/** The values that the flag can serve, as they are edited. */
export function VariationsCard(props: {
  readonly place: Place;
  readonly flags: readonly Flag[];
  readonly names: Names;
  readonly edit: Edit;
  readonly canEdit: boolean;
}) {
  const { place, flags, names, edit, canEdit } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      title={t.variations.title}
      end={
        <Line>
          <Note tone="faint" isSmall>
            {t.types[place.flag.flag_type]}
          </Note>
          {canEdit && (
            <IconButton icon="pencil" label={t.variations.edit} isSmall onPress={() => setOpen(true)} />
          )}
        </Line>
      }
    >
      <dl className={styles.values}>
        {edit.shared.mine.variations.map(({ id, key, value, description, text }) => (
          <div key={id} className={styles.valueRow}>
            <dt>
              <Variation name={key} names={names} />
            </dt>
            <dd>
              <code>{text ?? JSON.stringify(value, undefined, typeof value === 'object' ? 1 : 0)}</code>
            </dd>
            {description !== '' && <dd className={styles.valueNote}>{description}</dd>}
          </div>
        ))}
      </dl>
      {isOpen && (
        <Suspense>
          <VariationsDrawer place={place} flags={flags} edit={edit} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Card>
  );
}

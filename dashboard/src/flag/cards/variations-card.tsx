import type { Flag } from '../../api/types.ts';
import { Note } from '../../ui/layout.tsx';
import { Card } from '../../ui/surface.tsx';
import styles from '../flag.module.css';
import { t } from '../messages.ts';
import { type Names, Variation } from '../rules/rule-sentence.tsx';

/** The values that the flag can serve. */
export function VariationsCard({ flag, names }: { readonly flag: Flag; readonly names: Names }) {
  return (
    <Card
      title={t.variations.title}
      end={
        <Note tone="faint" isSmall>
          {t.types[flag.flag_type]}
        </Note>
      }
    >
      <dl className={styles.values}>
        {flag.variations.map(({ key, value }) => (
          <div key={key} className={styles.valueRow}>
            <dt>
              <Variation name={key} names={names} />
            </dt>
            <dd>
              <code>{JSON.stringify(value, undefined, typeof value === 'object' ? 1 : 0)}</code>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

import type { Instance } from '../api/types.ts';
import { Note, Stack } from '../ui/layout.tsx';
import { Card, Skeleton } from '../ui/surface.tsx';
import styles from './instance.module.css';
import { t } from './messages.ts';

/** How many requests the server takes. */
export function LimitsCard({ limits }: { readonly limits: Instance['rate_limits'] | undefined }) {
  return (
    <Card title={t.limits} foot={t.limitsFoot}>
      {limits === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <Stack>
          <Note tone="muted">{t.limitsIntro}</Note>
          <table className={styles.table} aria-label={t.limits}>
            <thead>
              <tr>
                <th scope="col">{t.limit.name}</th>
                <th scope="col">{t.limit.of}</th>
                <th scope="col" className={styles.number}>
                  {t.limit.count}
                </th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(limits).map(([name, count]) => (
                <tr key={name}>
                  <th scope="row">{t.categories[name]?.[0] ?? name}</th>
                  <td>{t.categories[name]?.[1]}</td>
                  <td className={styles.number}>{t.perMinute(count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Stack>
      )}
    </Card>
  );
}

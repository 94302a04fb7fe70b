import { toProblem } from '../api/problem.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { EnvironmentBadge } from '../ui/badge.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Card, Skeleton } from '../ui/surface.tsx';
import { t } from './messages.ts';
import styles from './segments.module.css';
import { useUsage } from './use-segments.ts';

/** The flags whose rules ask for the segment, with the environments. */
export function UsageCard({ id }: { readonly id: string }) {
  const { environments, hrefTo } = useScope();
  const { data, error, refetch } = useUsage(id);
  const keys = [...new Set(data?.map((one) => one.flag_key))];
  return (
    <Card title={t.usage}>
      {error && <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={3} />}
      {data?.length === 0 && <Note tone="faint">{t.unused}</Note>}
      <ul className={styles.list}>
        {keys.map((key) => {
          const places = new Set(
            data?.filter((one) => one.flag_key === key).map((one) => one.environment_id),
          );
          return (
            <li key={key}>
              <Line>
                <Link href={hrefTo(`flags/${key}`)} isPlain>
                  <code>{key}</code>
                </Link>
                {environments
                  .filter((one) => places.has(one.id))
                  .map((environment) => (
                    <EnvironmentBadge key={environment.id} environment={environment} />
                  ))}
              </Line>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

import { toProblem } from '../api/problem.ts';
import type { AuditEntry } from '../api/types.ts';
import type { Condition } from '../app/conditions/condition.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Diff, linesOf, valueWords } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Card, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { t } from './messages.ts';
import { sentenceOf } from './segment-words.ts';
import styles from './segments.module.css';
import { useHistory } from './use-segments.ts';

/** The latest changes, in the words of the page. */
export function HistoryCard({ id }: { readonly id: string }) {
  const { data, error, refetch } = useHistory(id);
  return (
    <Card title={t.history}>
      {error && <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data?.length === 0 && <Note tone="faint">{t.noHistory}</Note>}
      <ul className={styles.list}>
        {data?.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
    </Card>
  );
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { hrefTo } = useScope();
  const { actor, changes } = entry;
  return (
    <li>
      <Stack gap="close">
        <Line>
          <Link href={hrefTo('changes', { entry: entry.id })} isPlain>
            {actor.name ?? actor.email ?? actor.id ?? t.system}
          </Link>
          <Note tone="faint" isSmall>
            <Time at={entry.timestamp} />
          </Note>
        </Line>
        <Diff lines={linesOf(changes, wordsOf)} isPlain />
      </Stack>
    </li>
  );
}

/** Conditions as a sentence, lists of keys by their length. */
function wordsOf(field: string, value: unknown): string {
  if (field === 'conditions' && Array.isArray(value)) return sentenceOf(value as Condition[], false);
  if ((field === 'included' || field === 'excluded') && Array.isArray(value)) return t.keys(value.length);
  return valueWords(value);
}

import type { ReactNode } from 'react';
import type { Environment } from '../api/types.ts';
import { VariationChip } from '../ui/badge.tsx';
import { Link } from '../ui/link.tsx';
import { Card } from '../ui/surface.tsx';
import type { Account } from './account.ts';
import { summaryOf } from './answer-words.ts';
import { t } from './messages.ts';
import type { Names } from './names.ts';
import { shortValue } from './value-words.ts';
import styles from './why.module.css';

/** What the user gets, why in one sentence, and each step on the way there. */
export function AnswerCard(props: {
  readonly title: string;
  readonly beside: ReactNode;
  readonly account: Account;
  readonly environment: Environment;
  readonly names: Names;
  /** The flag's page. */
  readonly href: string;
  /** The steps on the way there. */
  readonly children: ReactNode;
}) {
  const { title, beside, account, environment, names, href, children } = props;
  const { result, flag } = account;
  const key = result.variation_key ?? flag.default_variation;
  const value = shortValue(result.value);
  return (
    <Card
      title={
        <>
          {title} {beside}
        </>
      }
      end={<Link href={href}>{t.open}</Link>}
      isFlush
    >
      <div className={styles.answer}>
        <p className={styles.value} role="status">
          <VariationChip series={names.series(key)}>{names.variation(key)}</VariationChip>
          {flag.flag_type !== 'boolean' && value !== names.variation(key) && <code>{value}</code>}
        </p>
        <p className={styles.muted}>{summaryOf(account, names, environment.name)}</p>
      </div>
      <ol className={styles.steps}>{children}</ol>
    </Card>
  );
}

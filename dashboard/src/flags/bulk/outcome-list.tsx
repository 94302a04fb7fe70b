import { ApiProblem } from '../../api/problem.ts';
import { problemWords } from '../../api/problem-words.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { Stack } from '../../ui/layout.tsx';
import { Link } from '../../ui/link.tsx';
import type { ProjectFlag } from '../use-flag-list.ts';
import styles from './bulk.module.css';
import { t } from './messages.ts';
import type { Outcome } from './use-bulk.ts';

/** Rows that change are many and alike; refused ones are all shown. */
const CHANGES_SHOWN = 50;
const BY_FREEZE = 'FREEZE_WINDOW_ACTIVE';

/** What happens to each flag, the refused ones first. */
export function OutcomeList(props: {
  readonly outcomes: readonly Outcome[];
  readonly flags: readonly ProjectFlag[];
}) {
  const { outcomes } = props;
  const { hrefTo } = useScope();
  const flags = new Map(props.flags.map((flag) => [flag.id, flag]));
  const of = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind);
  const others = [...of('changed'), ...of('same')];
  const rest = others.length - CHANGES_SHOWN;
  return (
    <Stack>
      <p role="status">
        <b>{t.summary(of('changed').length, of('same').length, of('refused').length)}</b>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard could not scroll the rows. */}
      <ul className={styles.rows} aria-label={t.preview} tabIndex={0}>
        {[...of('refused'), ...others.slice(0, CHANGES_SHOWN)].map((outcome) => (
          <li key={outcome.id}>
            <code title={flags.get(outcome.id)?.name}>{flags.get(outcome.id)?.key}</code>
            <span className={styles[outcome.kind]}>{wordsOf(outcome)}</span>
          </li>
        ))}
        {rest > 0 && <li className={styles.same}>{t.rest(rest)}</li>}
      </ul>
      {of('refused').some(({ code }) => code === BY_FREEZE) && (
        <Link href={hrefTo('freezes', { 'break-glass': 'new' })}>{t.breakGlass}</Link>
      )}
    </Stack>
  );
}

function wordsOf({ kind, code, message }: Outcome): string {
  if (kind !== 'refused') return kind === 'changed' ? t.change : t.same;
  return problemWords(new ApiProblem({ status: 409, code: code ?? '', message: message ?? code ?? '' }))
    .title;
}

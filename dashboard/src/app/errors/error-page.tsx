import { toProblem } from '../../api/problem.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { EmptyState } from '../../ui/surface.tsx';
import { t } from '../messages.ts';
import styles from './error-page.module.css';

/** In the place of a page that failed to render or to load; without `reset`, in the place of everything. */
export function ErrorPage({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  const problem = toProblem(error);
  if (problem.code !== 'UNREADABLE')
    return reset ? (
      <ErrorState problem={problem} onRetry={reset} />
    ) : (
      <main className={styles.alone}>
        <ErrorState problem={problem} onRetry={() => location.reload()} />
      </main>
    );
  return (
    <EmptyState
      isPage
      icon="error"
      title={t.broken.title}
      actions={<Button onPress={() => location.reload()}>{t.broken.action}</Button>}
    >
      {t.broken.text}
    </EmptyState>
  );
}

export function NotFoundPage() {
  return (
    <EmptyState
      isPage
      icon="question"
      title={t.notFound.title}
      actions={<ButtonLink href="/">{t.notFound.action}</ButtonLink>}
    >
      {t.notFound.text}
    </EmptyState>
  );
}

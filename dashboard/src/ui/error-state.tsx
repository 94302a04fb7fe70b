import type { ApiProblem } from '../api/problem.ts';
import { problemWords } from '../api/problem-words.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { t } from './messages.ts';
import { Notice } from './surface.tsx';

/** What went wrong, what was kept, what to do. `kept` says what the page kept, such as "Your 3 changes are kept". */
export function ErrorState(props: {
  readonly problem: ApiProblem;
  readonly kept?: string;
  readonly onRetry?: (() => void) | undefined;
}) {
  const { problem, kept, onRetry } = props;
  const { title, remedy } = problemWords(problem);
  const details = t.details(problem.code, problem.requestId);
  return (
    <Notice
      tone={problem.status === 409 || problem.status === 400 ? 'warn' : 'bad'}
      title={title}
      isUrgent
      actions={
        <>
          {onRetry && (
            <Button isSmall onPress={onRetry}>
              {t.tryAgain}
            </Button>
          )}
          <CopyButton text={`${details}: ${problem.message}`}>{t.copyDetails}</CopyButton>
        </>
      }
    >
      {[kept, remedy].filter(Boolean).join(' ')}
    </Notice>
  );
}

import { toProblem } from '../../api/problem.ts';
import { problemWords } from '../../api/problem-words.ts';
import { showToast } from '../../ui/toast.tsx';
import { useServices } from '../services.ts';
import { t } from '../shell/messages.ts';

/** Signs the person out, in all tabs. Says so when the session goes on, because the page looks the same then. */
export function useSignOut(): () => void {
  const { session } = useServices();
  return () =>
    void session
      .leave()
      .catch((error: unknown) => showToast(t.stillSignedIn(problemWords(toProblem(error)).title)));
}

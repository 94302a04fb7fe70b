import { useBlocker } from '@tanstack/react-router';

/**
 * Asks before a page with unsaved edits is left for another resource, or closed, when the edits would be lost. Pages
 * with `useDraft` need it only for what no draft can keep, such as a secret that is shown once.
 */
export function useLeaveGuard(isUnsafe: boolean): {
  readonly isAsking: boolean;
  readonly stay: () => void;
  readonly leave: () => void;
} {
  const blocker = useBlocker({
    shouldBlockFn: () => isUnsafe,
    enableBeforeUnload: isUnsafe,
    withResolver: true,
  });
  return {
    isAsking: blocker.status === 'blocked',
    stay: () => blocker.reset?.(),
    leave: () => blocker.proceed?.(),
  };
}

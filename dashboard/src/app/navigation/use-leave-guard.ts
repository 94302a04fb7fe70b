import { useBlocker } from '@tanstack/react-router';

/**
 * Asks before a page with unsaved edits is left for another resource, or closed, when the edits would be lost. Pages
 * with `useDraft` need it only for what no draft can keep, such as a secret that is shown once. Filters and dialogs in the
 * address of the same page do not ask.
 */
export function useLeaveGuard(isUnsafe: boolean): {
  readonly isAsking: boolean;
  readonly stay: () => void;
  readonly leave: () => void;
} {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsafe && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsafe,
    withResolver: true,
  });
  return {
    isAsking: blocker.status === 'blocked',
    stay: () => blocker.reset?.(),
    leave: () => blocker.proceed?.(),
  };
}

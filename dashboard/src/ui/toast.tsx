import { lazy, Suspense, useSyncExternalStore } from 'react';
import type { Message } from './toast-region.tsx';

// The region is loaded for the first message: the sign-in page shows none.
let isNeeded = false;
const listeners = new Set<() => void>();
const load = () => import('./toast-region.tsx');
const Region = lazy(async () => ({ default: (await load()).ToastRegion }));

/** Says that something happened, with one undo at most. Errors are not toasts: they stay where they happened. */
export function showToast(text: string, undo?: () => void): void {
  const message: Message = { text, undo };
  isNeeded = true;
  for (const listener of listeners) listener();
  void load().then(({ addToast }) => addToast(message));
}

/** Where toasts appear. Once in the app. */
export function Toasts() {
  const isShown = useSyncExternalStore(subscribe, () => isNeeded);
  return isShown ? (
    <Suspense>
      <Region />
    </Suspense>
  ) : null;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

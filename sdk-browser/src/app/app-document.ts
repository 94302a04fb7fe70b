import type { PageGlobals } from '../page/page-globals.ts';

/** The part of React Native's `AppState` that is used. */
export interface AppStateLike {
  /** `active`, `inactive` or `background`; null or `unknown` while the app starts. */
  readonly currentState?: string | null | undefined;
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void } | undefined;
}

/**
 * A document that is hidden while the app is in the background. An inactive app is visible, because iOS makes an app
 * inactive behind a dialog or the control center. A starting app is visible, because its state may not be known yet.
 */
export const documentOf = (appState: AppStateLike): NonNullable<PageGlobals['document']> => {
  let state = appState.currentState;
  return {
    get visibilityState() {
      return state === 'background' ? 'hidden' : 'visible';
    },
    addEventListener(_, listener, { signal }) {
      const subscription = appState.addEventListener('change', (next) => {
        // Kept from the event, because `currentState` changes before or after it, depending on the version.
        state = next;
        listener({ type: 'visibilitychange' });
      });
      signal.addEventListener('abort', () => subscription?.remove());
    },
  };
};

import { useCallback, useEffect, useState } from 'react';

const PREFIX = 'flagsvc.draft.';

export interface Draft<T> {
  /** What was typed and not saved; undefined when there is nothing. */
  readonly value: T | undefined;
  set(value: T | undefined): void;
  /** Forgets it: saved or discarded. */
  clear(): void;
}

/**
 * Keeps unsaved edits of one resource in this tab: they survive a reload, another page and a session that ends. `key`
 * names the resource, such as `flag:flg_01:env_02`. Keep no secrets in a draft.
 */
export function useDraft<T>(key: string): Draft<T> {
  const [kept, setKept] = useState(() => ({ key, value: readDraft<T>(key) }));
  if (kept.key !== key) setKept({ key, value: readDraft<T>(key) });
  useEffect(() => writeDraft(kept.key, kept.value), [kept]);
  const set = useCallback((value: T | undefined) => setKept({ key, value }), [key]);
  const clear = useCallback(() => setKept({ key, value: undefined }), [key]);
  return { value: kept.key === key ? kept.value : readDraft<T>(key), set, clear };
}

function readDraft<T>(key: string): T | undefined {
  try {
    const text = sessionStorage.getItem(PREFIX + key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

function writeDraft(key: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Storage is full or blocked: the draft lives as long as the page.
  }
}

/** Forgets all drafts of this tab, when another person signs in. */
export function clearDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

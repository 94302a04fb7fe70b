import { useCallback, useSyncExternalStore } from 'react';

const PREFIX = 'flagsvc.draft.';

// Hooks with the same key show the same draft, wherever on the page they are.
const drafts = new Map<string, unknown>();
const listeners = new Set<() => void>();

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
  const value = useSyncExternalStore(subscribe, () => currentDraft<T>(key));
  const set = useCallback((next: T | undefined) => changeDraft(key, next), [key]);
  const clear = useCallback(() => changeDraft(key, undefined), [key]);
  return { value, set, clear };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The same object until the draft changes. */
function currentDraft<T>(key: string): T | undefined {
  if (!drafts.has(key)) drafts.set(key, readDraft(key));
  return drafts.get(key) as T | undefined;
}

function changeDraft(key: string, value: unknown): void {
  drafts.set(key, value);
  writeDraft(key, value);
  for (const listener of listeners) listener();
}

function readDraft(key: string): unknown {
  try {
    const text = sessionStorage.getItem(PREFIX + key);
    return text === null ? undefined : JSON.parse(text);
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

/** Forgets all drafts of this tab. */
export function clearDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  drafts.clear();
  for (const listener of listeners) listener();
}

// From main.tsx, when another person has this tab.
addEventListener('flagsvc.person', clearDrafts);

import { useEffect, useState } from 'react';

const PAUSE_MS = 300;

/** A value once it has not changed for a moment, so that typing does not ask the server at each key. */
export function useSettled<T>(value: T): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState({ text, value });
  useEffect(() => {
    if (settled.text === text) return;
    const timer = setTimeout(() => setSettled({ text, value }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [settled.text, text, value]);
  return settled.value;
}

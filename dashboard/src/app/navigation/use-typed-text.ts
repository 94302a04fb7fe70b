import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 250;

/**
 * A search field whose text is kept elsewhere, such as in the address. The field follows each key; `onPause` gets the
 * text when typing pauses. A text that changes from outside, by "back" or "clear all", replaces what the field shows.
 */
export function useTypedText(
  kept: string,
  onPause: (text: string) => void,
): { readonly value: string; readonly onChange: (text: string) => void } {
  const [text, setText] = useState(kept);
  const sent = useRef(kept);
  const report = useRef(onPause);
  report.current = onPause;
  useEffect(() => {
    if (kept === sent.current) return;
    sent.current = kept;
    setText(kept);
  }, [kept]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      report.current(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return { value: text, onChange: setText };
}

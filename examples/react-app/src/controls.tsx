import { useEffect, useId, useRef, useState } from 'react';
import { change } from './settings.ts';

/** Changes flags through the page's server; the page hears of it like everybody else. */
export const useChange = () => {
  const [problem, setProblem] = useState<string>();
  const last = useRef<Promise<void>>(undefined);
  return {
    problem,
    run(what: 'toggle' | 'rollout', body: unknown) {
      const send = async () => setProblem(await change(what, body));
      // One after the other: the last one that was asked for is the one that stays.
      last.current = last.current?.then(send, send) ?? send();
    },
  };
};

export const Toggle = ({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) => (
  <button type="button" role="switch" aria-checked={isOn} className="toggle" onClick={() => onChange(!isOn)}>
    <span className="knob" />
    {label}
  </button>
);

/** A share of a hundred; what is dragged is told when it is let go. */
export const Share = ({
  actual,
  onChange,
}: {
  readonly actual: number;
  readonly onChange: (percentage: number) => void;
}) => {
  const id = useId();
  const [dragged, setDragged] = useState<{ readonly from: number; readonly to: number }>();
  // What the flag says wins as soon as it is another share than the one that the dragging began with.
  const shown = dragged?.from === actual ? dragged.to : actual;
  // The browser's own event, which React does not pass on: letting go by whatever means, a screen reader's included.
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { current } = input;
    const tell = () => onChange(current!.valueAsNumber);
    current?.addEventListener('change', tell);
    return () => current?.removeEventListener('change', tell);
  }, [onChange]);
  return (
    <div className="share">
      <label htmlFor={id}>
        Share of the new checkout: <b>{shown} %</b>
      </label>
      <input
        ref={input}
        id={id}
        type="range"
        min="0"
        max="100"
        step="5"
        value={shown}
        onChange={(event) => setDragged({ from: actual, to: event.target.valueAsNumber })}
      />
    </div>
  );
};

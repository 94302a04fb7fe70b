import { useEffect, useId, useRef, useState } from 'react';
import { change } from './settings.ts';

/** Changes flags through the page's server. The page receives the change with its next poll, like any other page. */
export const useChange = () => {
  const [problem, setProblem] = useState<string>();
  const last = useRef<Promise<void>>(undefined);
  return {
    problem,
    run(what: 'toggle' | 'rollout', body: unknown) {
      const send = async () => setProblem(await change(what, body));
      // Changes are sent one at a time, so that the last one wins.
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

/** A slider for a percentage. Calls `onChange` when the user releases it. */
export const Share = ({
  actual,
  onChange,
}: {
  readonly actual: number;
  readonly onChange: (percentage: number) => void;
}) => {
  const id = useId();
  const [dragged, setDragged] = useState<{ readonly from: number; readonly to: number }>();
  // The dragged value is shown until the flag's percentage changes.
  const shown = dragged?.from === actual ? dragged.to : actual;
  // React's `onChange` fires while dragging. The native event fires on release, also by keyboard and screen reader.
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { current } = input;
    const report = () => onChange(current!.valueAsNumber);
    current?.addEventListener('change', report);
    return () => current?.removeEventListener('change', report);
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

import { useId, useState } from 'react';
import { change } from './settings.ts';

/** Changes flags through the page's server; the page hears of it like everybody else. */
export const useChange = () => {
  const [problem, setProblem] = useState<string>();
  return {
    problem,
    run: async (what: 'toggle' | 'rollout', body: unknown) => setProblem(await change(what, body)),
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
  const tell = () => onChange(shown);
  return (
    <div className="share">
      <label htmlFor={id}>
        Share of the new checkout: <b>{shown} %</b>
      </label>
      <input
        id={id}
        type="range"
        min="0"
        max="100"
        step="5"
        value={shown}
        onChange={(event) => setDragged({ from: actual, to: event.target.valueAsNumber })}
        onPointerUp={tell}
        onKeyUp={tell}
      />
    </div>
  );
};

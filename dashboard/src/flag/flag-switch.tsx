import { useState } from 'react';
import type { BreakGlass } from '../api/types.ts';
import { readText, type SearchParams, useSearchState } from '../app/navigation/use-search-state.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { Switch } from '../ui/choice.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { t } from './messages.ts';
import { SwitchDialog } from './switch-dialog.tsx';
import type { Place } from './use-flag.ts';
import type { Freeze } from './use-freeze.ts';
import { useToggle } from './use-toggle.ts';

/** Why the switch cannot be used; undefined when it can. */
export function useSwitchBlock({ environment, flag }: Place, freeze: Freeze | undefined): string | undefined {
  const { whyNot } = useRights();
  if (flag.status === 'archived') return t.card.archived;
  const missing = whyNot(environment);
  if (missing !== undefined) return missing;
  return freeze && !(flag.enabled && freeze.mayDisable) ? t.card.frozenWhy(environment.name) : undefined;
}

/** A link can open the question: `switch` is the key of the environment. */
const parse = (raw: SearchParams) => ({ switch: readText(raw['switch']) });

/**
 * On or off in one environment. Where the environment asks for a comment or a confirmation, a dialog shows first who is
 * affected; elsewhere the switch acts at once and can be undone.
 */
export function FlagSwitch(props: {
  readonly place: Place;
  readonly freeze: Freeze | undefined;
  readonly glass: BreakGlass | undefined;
}) {
  const { place, freeze, glass } = props;
  const { environment, flag } = place;
  const isAllowed = useRights().whyNot(environment) === undefined && flag.status !== 'archived';
  const [{ switch: asked }, setSearch] = useSearchState(parse);
  const isLinked = asked === environment.key && isAllowed;
  const [isPressed, setPressed] = useState(false);
  const isAsking = isPressed || isLinked;
  const close = () => {
    setPressed(false);
    if (asked !== undefined) setSearch({ switch: undefined }, { replace: true });
  };
  const toggle = useToggle(place, glass?.id);
  const block = useSwitchBlock(place, freeze);
  const mustAsk = environment.confirm_changes || environment.critical || environment.require_comment;
  const change = () => {
    toggle.reset();
    if (mustAsk) setPressed(true);
    else void toggle.run(!flag.enabled);
  };
  return (
    <>
      <Switch
        label={t.card.switchLabel(flag.name, environment.name)}
        isOn={toggle.wanted ?? flag.enabled}
        onChange={change}
        isDisabled={block !== undefined}
      >
        {(toggle.wanted ?? flag.enabled) ? t.on : t.off}
      </Switch>
      {isAsking && <SwitchDialog place={place} toggle={toggle} glass={glass} onClose={close} />}
      {toggle.problem && !isAsking && (
        <ErrorState problem={toggle.problem} kept={t.switching.failed(environment.name)} onRetry={change} />
      )}
    </>
  );
}

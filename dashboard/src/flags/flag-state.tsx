import type { Environment } from '../api/types.ts';
import { type FlagState, StateGlyph } from '../ui/badge.tsx';
import styles from './flags.module.css';
import { t } from './messages.ts';
import type { EnvironmentState, ProjectFlag } from './use-flag-list.ts';

/** What a flag does in an environment, as a glyph and a word. Leads to the flag in that environment. */
export function StateLink(props: {
  readonly flag: ProjectFlag;
  readonly environment: Environment;
  readonly href: string;
}) {
  const { flag, environment, href } = props;
  const state = flag.environments.find(({ environment_id: id }) => id === environment.id);
  if (state === undefined) return null;
  const words = stateWords(state);
  return (
    <a
      href={href}
      className={state.state === 'off' ? styles.off : styles.state}
      aria-label={t.stateOf(flag.name, environment.name, words.join(', '))}
    >
      <StateGlyph state={toGlyph(state)} />
      <span>
        {words[0]}
        {words[1] && <small>{words[1]}</small>}
      </span>
    </a>
  );
}

/** "40%", "3 rules", or "40%" and "1 need" for a flag that needs another first. The flag's own page says the same. */
export function stateWords(place: EnvironmentState): readonly string[] {
  const { state, rules_count: rules, prerequisites_count: needs, rollout } = place;
  if (state === 'share') return [t.state.share(shareOf(place))];
  if (state !== 'rules') return [t.state[state]];
  const share = shareOf(place);
  const words =
    rollout.length === 0 ? t.state.rules(rules) : share === 100 ? t.state.on : t.state.share(share);
  return needs === 0 ? [words] : [words, t.state.needs(needs)];
}

function toGlyph(place: EnvironmentState): FlagState {
  const { state } = place;
  return state === 'share' ? { kind: 'share', share: shareOf(place) / 100 } : { kind: state };
}

/** How many percent of the users get something else than before: 10 while 10% get on and 90% the default, off. */
function shareOf({ rollout, default_variation: fallback }: EnvironmentState): number {
  const others = rollout.filter(({ variation }) => variation !== fallback);
  // The server rounds each share.
  return Math.min(
    100,
    others.reduce((sum, { percentage }) => sum + percentage, 0),
  );
}

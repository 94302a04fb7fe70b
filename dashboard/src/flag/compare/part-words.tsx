import { t as page } from '../messages.ts';
import { configOf } from '../rules/config.ts';
import { type Names, RuleSentence, Variation } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { useFlagNames } from '../use-flag-names.ts';
import styles from './compare.module.css';
import { t } from './messages.ts';
import type { Part } from './promotion.ts';

/** One part of the configuration of an environment as a sentence. */
export function PartWords(props: { readonly part: Part; readonly place: Place; readonly names: Names }) {
  const { part, place, names } = props;
  const { flag } = place;
  const flagName = useFlagNames(flag.prerequisites.map(({ flag_key: key }) => key));
  switch (part) {
    case 'enabled':
      return flag.enabled ? page.on : page.off;
    case 'default_variation':
      return <Variation name={flag.default_variation} names={names} />;
    case 'prerequisites':
      if (flag.prerequisites.length === 0) return t.noNeeds;
      return flag.prerequisites.map(({ flag_key: key, variation }) => (
        <div key={key} title={key}>
          {flagName(key)} {t.serves} <b>{variation}</b>
        </div>
      ));
    default:
      return <RulesWords place={place} names={names} />;
  }
}

function RulesWords({ place, names }: { readonly place: Place; readonly names: Names }) {
  const { rules } = configOf(place.flag);
  if (rules.length === 0) return t.noRules;
  return (
    <ol className={styles.rules}>
      {rules.map((rule, index) => (
        <li key={rule.id}>
          <b>{page.rules.named(index + 1, rule.name)}</b>
          <RuleSentence rule={rule} names={names} />
        </li>
      ))}
    </ol>
  );
}

import { Checkbox } from '../../ui/choice.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import styles from './compare.module.css';
import { t } from './messages.ts';
import { PartWords } from './part-words.tsx';
import { hasOwnRules, PARTS, type Part, type Promotion } from './promotion.ts';
import type { Pair } from './use-promotion.ts';

/** Each part in both environments; those that differ can be chosen. */
export function PartTable(props: {
  readonly pair: Pair;
  readonly names: Names;
  readonly differing: readonly Part[];
  readonly promotion: Promotion;
  readonly onChange: (promotion: Promotion) => void;
}) {
  const { pair, names, differing, promotion, onChange } = props;
  const { source, target } = pair;
  const { include } = promotion;
  const choose = (part: Part, isChosen: boolean) =>
    onChange({
      ...promotion,
      include: isChosen ? [...include, part] : include.filter((one) => one !== part),
    });
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t.part}</th>
            <th scope="col">{source.environment.name}</th>
            <th scope="col">{target.environment.name}</th>
          </tr>
        </thead>
        <tbody>
          {PARTS.map((part) => (
            <tr key={part} data-same={differing.includes(part) ? undefined : ''}>
              <th scope="row">
                {differing.includes(part) ? (
                  <Checkbox
                    label={t.parts[part]}
                    isSelected={include.includes(part)}
                    onChange={(isChosen) => choose(part, isChosen)}
                  />
                ) : (
                  t.parts[part]
                )}
              </th>
              <td data-label={source.environment.name}>
                <PartWords part={part} place={source} names={names} />
              </td>
              <td data-label={target.environment.name}>
                {differing.includes(part) ? <PartWords part={part} place={target} names={names} /> : t.same}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {include.includes('targeting_rules') && hasOwnRules(source.flag, target.flag) && (
        <Checkbox
          label={t.keepRules(target.environment.name)}
          isSelected={promotion.keepsRules}
          onChange={(keepsRules) => onChange({ ...promotion, keepsRules })}
        />
      )}
    </>
  );
}

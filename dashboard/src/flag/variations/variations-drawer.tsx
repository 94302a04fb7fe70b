import type { Flag } from '../../api/types.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { formatAnd } from '../../i18n/format-number.ts';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/surface.tsx';
import { editVariation, type VariationEdit } from '../details/shared.ts';
import { newId } from '../rules/config.ts';
import type { Edit } from '../rules/use-edit.ts';
import { useDependents } from '../use-dependents.ts';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import { type Use, usesOf } from './uses.ts';
import { FIRST_VALUES, valueText } from './values.ts';
import { VariationEditor } from './variation-editor.tsx';

const MAX = 50;

/** Edits what the flag can serve. What is typed goes into the edit of the page, which the save bar saves. */
export function VariationsDrawer(props: {
  readonly place: Place;
  /** The flag in every environment. */
  readonly flags: readonly Flag[];
  readonly edit: Edit;
  readonly onClose: () => void;
}) {
  const { place, flags, edit, onClose } = props;
  const { flag_type: type } = place.flag;
  const { mine, base, change } = edit.shared;
  const { variations } = mine;
  const usesFor = useUses(props);
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={t.title}
      intro={t.intro}
      foot={
        <Button kind="main" onPress={onClose}>
          {t.done}
        </Button>
      }
    >
      <Stack gap="far">
        {variations.map((variation, index) => (
          <VariationEditor
            key={variation.id}
            type={type}
            variation={variation}
            saved={base.variations.find(({ id }) => id === variation.id)}
            series={index + 1}
            uses={usesFor(variation)}
            isLast={variations.length === 1}
            onChange={(part) => change(editVariation(mine, variation.id, part))}
            onRemove={() => change({ ...mine, variations: variations.filter((one) => one !== variation) })}
          />
        ))}
        {type === 'boolean' ? (
          <BooleanNote variations={variations} />
        ) : (
          <div>
            <Button
              icon="plus"
              whyNot={variations.length < MAX ? undefined : t.tooMany}
              onPress={() =>
                change({ ...mine, variations: [...variations, newVariation(variations, flags)] })
              }
            >
              {t.add}
            </Button>
          </div>
        )}
      </Stack>
    </Drawer>
  );
}

function BooleanNote({ variations }: { readonly variations: readonly VariationEdit[] }) {
  const values = new Set(variations.map(({ value }) => value));
  if (values.size > 1) return <Note tone="faint">{t.exactlyTwo}</Note>;
  return <Notice tone="warn" title={t.bothSame(valueText([...values][0]))} />;
}

/** A key that no variation has. */
function newVariation(variations: readonly VariationEdit[], flags: readonly Flag[]): VariationEdit {
  let number = variations.length + 1;
  while (variations.some(({ key }) => key === t.newKey(number))) number++;
  const type = flags[0]?.flag_type ?? 'string';
  return {
    id: newId(),
    key: t.newKey(number),
    name: t.newName(number),
    description: '',
    value: FIRST_VALUES[type],
  };
}

/** Where a variation is used, in words: in the shown environment as edited, in the others as saved. */
function useUses({ place, flags, edit }: Parameters<typeof VariationsDrawer>[0]) {
  const { environments } = useScope();
  const dependents = useDependents(place.flag.id) ?? [];
  const { rules, fallback } = edit.config;
  const shown = {
    environment_id: place.environment.id,
    default_variation: fallback,
    targeting_rules: rules.map(({ id, name, conditions, variation, shares }, priority) => ({
      id,
      name,
      priority,
      conditions: [...conditions],
      ...(variation !== undefined && { variation }),
      ...(shares && { percentage_rollout: [...shares] }),
    })),
  };
  const others = flags.filter((one) => one.environment_id !== place.environment.id);
  const all = environments.flatMap(({ id }) =>
    id === shown.environment_id ? [shown] : others.filter((one) => one.environment_id === id),
  );
  const nameOf = (id: string) => environments.find((one) => one.id === id)?.name ?? id;
  return ({ key }: VariationEdit): { readonly defaults: string; readonly words: readonly string[] } => {
    const uses = usesOf(key, all, dependents);
    const defaults = uses.filter(({ kind }) => kind === 'default').map((use) => nameOf(use.environmentId));
    return {
      defaults: formatAnd(defaults),
      words: uses.map((use) => wordsOfUse(use, nameOf(use.environmentId))),
    };
  };
}

function wordsOfUse({ kind, count = 0, flagKey = '' }: Use, environment: string): string {
  if (kind === 'default') return t.defaultUse(environment);
  return kind === 'rules' ? t.rulesUse(count, environment) : t.needUse(flagKey, environment);
}

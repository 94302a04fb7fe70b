import { lazy, Suspense, useState } from 'react';
import type { Flag } from '../../api/types.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { Badge, VariationChip } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Link } from '../../ui/link.tsx';
import { Card } from '../../ui/surface.tsx';
import { type Need, withNeed } from '../rules/config.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Edit } from '../rules/use-edit.ts';
import { nameOf } from '../serving.tsx';
import { seriesOf } from '../state-words.ts';
import { useDependents } from '../use-dependents.ts';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import styles from './needs.module.css';
import { needStateOf, useFlagByKey } from './use-needed-flag.ts';

const NeedDialog = lazy(async () => ({ default: (await import('./need-dialog.tsx')).NeedDialog }));
const SHOWN = 6;
const TONES = { holds: 'good', some: 'faint', fails: 'warn', archived: 'warn', missing: 'bad' } as const;

/** The flags that must serve something first, as they are edited, and the flags that need this one. */
export function NeedsCard(props: {
  readonly place: Place;
  readonly edit: Edit;
  readonly names: Names;
  readonly canEdit: boolean;
}) {
  const { place, edit, names, canEdit } = props;
  const { config, base } = edit;
  const [changed, setChanged] = useState<Need | 'new'>();
  return (
    <Card
      title={t.title}
      end={canEdit && <IconButton icon="plus" label={t.add} isSmall onPress={() => setChanged('new')} />}
    >
      <Stack gap="close">
        {config.needs.map((need) => (
          <NeedLine
            key={need.flag_key}
            need={need}
            saved={base.needs.find((one) => one.flag_key === need.flag_key)}
            environmentId={place.environment.id}
            {...(canEdit && {
              onChange: () => setChanged(need),
              onRemove: () => edit.change(withNeed(config, need.flag_key, undefined)),
            })}
          />
        ))}
        <Note tone="muted" isSmall={config.needs.length > 0}>
          {config.needs.length === 0 ? t.none : t.rule(names.variation(config.fallback))}
        </Note>
        <Dependents flag={place.flag} />
      </Stack>
      {changed !== undefined && (
        <Suspense>
          <NeedDialog
            place={place}
            needs={config.needs}
            changed={changed === 'new' ? undefined : changed}
            onPut={(need) => edit.change(withNeed(config, need.flag_key, need.variation))}
            onClose={() => setChanged(undefined)}
          />
        </Suspense>
      )}
    </Card>
  );
}

/** "Cart drawer serves on: holds for everyone". */
function NeedLine(props: {
  readonly need: Need;
  readonly saved: Need | undefined;
  readonly environmentId: string;
  readonly onChange?: () => void;
  readonly onRemove?: () => void;
}) {
  const { need, saved, environmentId, onChange, onRemove } = props;
  const { flag_key: key, variation } = need;
  const { hrefTo } = useScope();
  const flag = useFlagByKey(key, environmentId);
  const name = flag?.name ?? key;
  const state = flag === undefined ? undefined : needStateOf(flag, variation);
  return (
    <div className={styles.need}>
      <div className={styles.words}>
        <Link href={hrefTo(`flags/${key}`)}>{name}</Link> <Note tone="muted">{t.serves}</Note>{' '}
        <VariationChip series={flag ? seriesOf(flag)(variation) : 1}>
          {flag ? nameOf(flag, variation) : variation}
        </VariationChip>{' '}
        {saved?.variation !== variation && (
          <Badge tone={saved ? 'info' : 'good'}>{saved ? t.isEdited : t.isNew}</Badge>
        )}
        {state && (
          <span className={styles.state}>
            <Note tone={TONES[state]} isSmall>
              {t.states[state]}
            </Note>
          </span>
        )}
      </div>
      {onChange && onRemove && (
        <div className={styles.actions}>
          <IconButton icon="pencil" label={t.change(name)} isSmall onPress={onChange} />
          <IconButton icon="close" label={t.remove(name)} isSmall onPress={onRemove} />
        </div>
      )}
    </div>
  );
}

/** The flags that need this one in the environment, with links. */
function Dependents({ flag }: { readonly flag: Flag }) {
  const data = useDependents(flag.id) ?? [];
  const here = data.filter((one) => one.environment_id === flag.environment_id);
  const keys = [...new Set(here.map(({ flag_key }) => flag_key))];
  const more = keys.length - SHOWN;
  if (keys.length === 0) return null;
  return (
    <Line>
      <Note tone="faint" isSmall>
        {t.dependents(keys.length)}
      </Note>
      {keys.slice(0, SHOWN).map((key) => (
        <FlagLink key={key} flagKey={key} environmentId={flag.environment_id} />
      ))}
      {more > 0 && (
        <Note tone="faint" isSmall>
          {t.more(more)}
        </Note>
      )}
    </Line>
  );
}

function FlagLink({ flagKey, environmentId }: { readonly flagKey: string; readonly environmentId: string }) {
  const { hrefTo } = useScope();
  const flag = useFlagByKey(flagKey, environmentId);
  return <Link href={hrefTo(`flags/${flagKey}`)}>{flag?.name ?? flagKey}</Link>;
}

import { useState } from 'react';
import type { FlagListItem } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Stack } from '../../ui/layout.tsx';
import { ComboBox, Select } from '../../ui/select.tsx';
import { Notice, Skeleton } from '../../ui/surface.tsx';
import type { Need } from '../rules/config.ts';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import { useFlagSearch } from './use-flag-search.ts';
import { type Obstacle, useNeedCheck } from './use-need-check.ts';
import { useFlagByKey } from './use-needed-flag.ts';

/** Chooses a flag and what it must serve first. Loops are refused here, in words, before anything is saved. */
export function NeedDialog(props: {
  readonly place: Place;
  readonly needs: readonly Need[];
  /** The need to change; undefined for a new one. */
  readonly changed: Need | undefined;
  readonly onPut: (need: Need) => void;
  readonly onClose: () => void;
}) {
  const { place, needs, changed, onPut, onClose } = props;
  const { environment, flag } = place;
  const [key, setKey] = useState(changed?.flag_key);
  const [variation, setVariation] = useState(changed?.variation);
  const chosen = useFlagByKey(key ?? '', environment.id) ?? undefined;
  const need = key !== undefined && variation !== undefined ? { flag_key: key, variation } : undefined;
  const check = useNeedCheck(place, needs, need);
  const isTwice = changed === undefined && needs.some((one) => one.flag_key === key);
  const whyNot =
    key === undefined
      ? t.flagFirst
      : isTwice
        ? t.already(chosen?.name ?? key)
        : variation === undefined
          ? t.variationFirst
          : undefined;
  const put = () => {
    if (need) onPut(need);
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.addTitle(flag.name, environment.name)}
      intro={t.intro}
      foot={
        <>
          <Button
            kind="main"
            onPress={put}
            whyNot={whyNot ?? check.obstacle?.title}
            isDisabled={need !== undefined && check.isPending}
          >
            {changed ? t.take : t.put}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <Stack>
        {changed === undefined && (
          <FlagField
            environmentId={environment.id}
            without={flag.key}
            value={key}
            onChange={(next) => {
              setKey(next);
              setVariation(undefined);
            }}
          />
        )}
        <Select
          label={t.variation}
          options={(chosen?.variations ?? []).map((one) => ({ id: one.key, label: one.name || one.key }))}
          value={variation}
          onChange={setVariation}
          isDisabled={chosen === undefined}
        />
        {need && check.isPending && <Skeleton lines={1} label={t.checking} />}
        {check.obstacle && <Refused obstacle={check.obstacle} />}
        {check.problem && <ErrorState problem={check.problem} onRetry={check.retry} />}
      </Stack>
    </Dialog>
  );
}

function Refused({ obstacle }: { readonly obstacle: Obstacle }) {
  return (
    <Notice tone="bad" title={obstacle.title} isUrgent>
      {obstacle.text}
    </Notice>
  );
}

function FlagField(props: {
  readonly environmentId: string;
  /** The key of the flag that cannot need itself. */
  readonly without: string;
  readonly value: string | undefined;
  readonly onChange: (key: string | undefined) => void;
}) {
  const { environmentId, without, value, onChange } = props;
  const { flags, search } = useFlagSearch(environmentId);
  const options = flags
    .filter((one: FlagListItem) => one.key !== without)
    .map(({ key, name }) => ({ id: key, label: name, note: key }));
  return (
    <ComboBox
      label={t.flag}
      help={t.flagHelp}
      options={options}
      value={value}
      onChange={onChange}
      onSearch={search}
    />
  );
}

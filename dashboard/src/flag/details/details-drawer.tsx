import { useMembers } from '../../app/scope/use-member-names.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { DateTimeField } from '../../ui/date-time-field.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ComboBox, type Option, Select } from '../../ui/select.tsx';
import { TagInput } from '../../ui/tag-input.tsx';
import { TextArea, TextField } from '../../ui/text-field.tsx';
import { t as page } from '../messages.ts';
import type { Edit } from '../rules/use-edit.ts';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import type { Shared } from './shared.ts';

interface FieldsProps {
  readonly mine: Shared;
  readonly set: (part: Partial<Shared>) => void;
}

/** Edits what describes the flag. What is typed goes into the edit of the page, which the save bar saves. */
export function DetailsDrawer(props: {
  readonly place: Place;
  readonly edit: Edit;
  readonly onClose: () => void;
}) {
  const { place, edit, onClose } = props;
  const { mine, change } = edit.shared;
  const set = (part: Partial<Shared>) => change({ ...mine, ...part });
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
      <Stack>
        <AboutFields mine={mine} set={set} />
        <LifeFields mine={mine} set={set} />
        <Checkbox
          label={t.clientSide}
          note={t.clientSideNote}
          isSelected={mine.client_side}
          onChange={(client_side) => set({ client_side })}
        />
        <Checkbox
          label={t.exposures}
          note={t.exposuresNote}
          isSelected={mine.track_exposures}
          onChange={(track_exposures) => set({ track_exposures })}
        />
        <Note tone="faint" isSmall>
          {t.type(page.types[place.flag.flag_type])}
        </Note>
      </Stack>
    </Drawer>
  );
}

function AboutFields({ mine, set }: FieldsProps) {
  return (
    <>
      <TextField
        label={t.name}
        value={mine.name}
        onChange={(name) => set({ name })}
        maxLength={200}
        error={mine.name.trim() === '' ? t.nameMissing : undefined}
      />
      <TextArea
        label={t.description}
        value={mine.description}
        onChange={(description) => set({ description })}
        maxLength={2_000}
      />
      <OwnerField mine={mine} set={set} />
      <TagInput label={t.tags} values={mine.tags} onChange={(tags) => set({ tags: [...tags] })} />
    </>
  );
}

const NONE = 'none';

function OwnerField({ mine, set }: FieldsProps) {
  const { me } = useScope();
  const members = useMembers();
  const options: readonly Option[] = [
    { id: NONE, label: t.nobody },
    ...members.map(({ id, name, email }) => ({ id, label: name, note: id === me.id ? undefined : email })),
  ];
  return (
    <ComboBox
      key={members.length}
      label={t.owner}
      options={options}
      value={mine.owner_id ?? NONE}
      onChange={(id) => id !== undefined && set({ owner_id: id === NONE ? null : id })}
    />
  );
}

const KINDS = ['release', 'experiment', 'ops_killswitch', 'permission', 'migration'] as const;

function LifeFields({ mine, set }: FieldsProps) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { classification, permanent, expected_end_at: end, stale_after_days: days } = mine;
  return (
    <>
      <Select
        label={t.kind}
        options={[
          ...KINDS.map((id) => ({ id, label: t.kinds[id], note: t.kindNotes[id] })),
          { id: NONE, label: t.noKind },
        ]}
        value={classification ?? NONE}
        onChange={(id) => set({ classification: id === NONE ? null : (id as Shared['classification']) })}
      />
      <Checkbox
        label={t.permanent}
        note={t.permanentNote}
        isSelected={permanent}
        onChange={(isPermanent) => set({ permanent: isPermanent })}
      />
      {!permanent && (
        <>
          <DateTimeField
            label={t.end}
            help={t.endHelp}
            zone={zone}
            value={end ?? undefined}
            onChange={(instant) => instant !== undefined && set({ expected_end_at: instant })}
            aside={
              end === null ? undefined : (
                <Button kind="text" onPress={() => set({ expected_end_at: null })}>
                  {t.clearEnd}
                </Button>
              )
            }
          />
          <NumberField
            label={t.staleAfter}
            help={t.staleAfterHelp}
            value={days ?? Number.NaN}
            minValue={1}
            maxValue={3_650}
            onChange={(next) => set({ stale_after_days: Number.isNaN(next) ? null : next })}
          />
        </>
      )}
    </>
  );
}

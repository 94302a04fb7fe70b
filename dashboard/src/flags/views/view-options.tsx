import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Stack } from '../../ui/layout.tsx';
import { Popover } from '../../ui/popover.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useColumnChoice } from '../flag-columns.tsx';
import type { FlagsSearch } from '../flags-search.ts';
import { isShown, paramsOf, useSavedViews } from '../saved-views.ts';
import { t } from './messages.ts';

const VIEWS_MAX = 30;
const NAME_MAX = 60;

/** Which columns the list has, and the filters as a view to come back to. */
export function ViewOptions({ search }: { readonly search: FlagsSearch }) {
  const { views, setViews } = useSavedViews();
  const shown = views.find((view) => isShown(view, search));
  const remove = (name: string) => {
    setViews(views.filter((view) => view.name !== name));
    showToast(t.removed(name), () => setViews(views));
  };
  return (
    <>
      <Columns />
      {shown !== undefined ? (
        <Button isSmall kind="quiet" onPress={() => remove(shown.name)}>
          {t.remove}
        </Button>
      ) : (
        Object.keys(paramsOf(search)).length > 0 && (
          <Popover
            label={t.saveTitle}
            trigger={
              <Button isSmall kind="quiet">
                {t.save}
              </Button>
            }
          >
            {(close) => <SaveForm search={search} onClose={close} />}
          </Popover>
        )
      )}
    </>
  );
}

function Columns() {
  const { choices, hidden, setHidden } = useColumnChoice();
  return (
    <Popover
      label={t.columnsShown}
      trigger={
        <Button isSmall kind="quiet">
          {t.columns}
        </Button>
      }
    >
      <Stack>
        {choices.map(({ id, label }) => (
          <Checkbox
            key={id}
            label={label}
            isSelected={!hidden.includes(id)}
            onChange={(isOn) => setHidden(isOn ? hidden.filter((one) => one !== id) : [...hidden, id])}
          />
        ))}
      </Stack>
    </Popover>
  );
}

function SaveForm({ search, onClose }: { readonly search: FlagsSearch; readonly onClose: () => void }) {
  const { views, setViews } = useSavedViews();
  const [text, setText] = useState('');
  const name = text.trim();
  const others = views.filter((view) => view.name !== name);
  const isFull = others.length >= VIEWS_MAX;
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name === '' || isFull) return;
    setViews([...others, { name, params: paramsOf(search) }]);
    showToast(t.saved(name));
    onClose();
  };
  return (
    <form onSubmit={save}>
      <Stack>
        <TextField
          label={t.name}
          placeholder={t.namePlaceholder}
          value={text}
          onChange={setText}
          maxLength={NAME_MAX}
          autoFocus
          {...(others.length < views.length && { help: t.nameTaken })}
        />
        <Button
          kind="main"
          type="submit"
          whyNot={name === '' ? t.nameFirst : isFull ? t.tooMany(VIEWS_MAX) : undefined}
        >
          {t.saveIt}
        </Button>
      </Stack>
    </form>
  );
}

import { useMemo, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { formatNumber } from '../i18n/format-number.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Line, Note, Push, Stack } from '../ui/layout.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Card } from '../ui/surface.tsx';
import { TextArea } from '../ui/text-field.tsx';
import { LONGEST_KEY, MOST_KEYS, parseKeys } from './keys.ts';
import { t } from './messages.ts';
import styles from './segments.module.css';

/** Found keys beyond these are counted, not drawn. */
const SHOWN = 100;

/** One of the two lists of user keys: search inside, add by pasting or from a file, remove. */
export function KeyListCard(props: {
  readonly title: string;
  readonly text: string;
  readonly keys: readonly string[];
  readonly canEdit: boolean;
  readonly onChange: (keys: readonly string[]) => void;
}) {
  const { title, text, keys, canEdit, onChange } = props;
  const [isAdding, setAdding] = useState(false);
  return (
    <Card title={title} end={<Badge>{t.keys(keys.length)}</Badge>}>
      <Stack>
        <Note tone="muted">{text}</Note>
        {keys.length > 0 && (
          <FoundKeys
            title={title}
            keys={keys}
            canEdit={canEdit}
            onRemove={(key) => onChange(keys.filter((one) => one !== key))}
          />
        )}
        {canEdit && (
          <Line>
            <Button icon="plus" isSmall onPress={() => setAdding(true)}>
              {t.addKeys}
            </Button>
            {keys.length > 0 && (
              <Push>
                <Button kind="quiet" isSmall onPress={() => onChange([])}>
                  {t.clearKeys}
                </Button>
              </Push>
            )}
          </Line>
        )}
      </Stack>
      {isAdding && (
        <AddKeysDialog
          title={`${t.addKeys}: ${title}`}
          keys={keys}
          onAdd={(added) => {
            onChange([...keys, ...added]);
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Card>
  );
}

function FoundKeys(props: {
  readonly title: string;
  readonly keys: readonly string[];
  readonly canEdit: boolean;
  readonly onRemove: (key: string) => void;
}) {
  const { title, keys, canEdit, onRemove } = props;
  const [q, setQ] = useState('');
  const found = useMemo(() => keys.filter((key) => key.includes(q.trim())), [keys, q]);
  return (
    <>
      <SearchField label={`${t.findKey}: ${title}`} placeholder={t.findKey} value={q} onChange={setQ} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, and the keyboard must reach it. */}
      <ul className={styles.keys} aria-label={title} tabIndex={0}>
        {found.slice(0, SHOWN).map((key) => (
          <li key={key}>
            <code>{key}</code>
            {canEdit && (
              <IconButton icon="close" isSmall label={t.removeKey(key)} onPress={() => onRemove(key)} />
            )}
          </li>
        ))}
      </ul>
      {found.length === 0 && <Note tone="faint">{t.keyNotFound}</Note>}
      {found.length > SHOWN && (
        <Note tone="faint" isSmall>
          {t.shownOf(SHOWN, formatNumber(found.length))}
        </Note>
      )}
    </>
  );
}

function AddKeysDialog(props: {
  readonly title: string;
  readonly keys: readonly string[];
  readonly onAdd: (keys: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const { title, keys, onAdd, onClose } = props;
  const [text, setText] = useState('');
  const fresh = useMemo(() => {
    const known = new Set(keys);
    return parseKeys(text).filter((key) => !known.has(key));
  }, [text, keys]);
  return (
    <Dialog
      isOpen
      isStubborn={text !== ''}
      onClose={onClose}
      title={title}
      foot={
        <>
          <Button kind="main" onPress={() => onAdd(fresh)} whyNot={faultOf(fresh, keys.length)}>
            {t.addCount(fresh.length)}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <Stack>
        <TextArea
          label={t.paste}
          help={t.pasteHelp}
          value={text}
          onChange={setText}
          rows={8}
          isMono
          autoFocus
        />
        <Line>
          <FileTrigger
            acceptedFileTypes={['.txt', '.csv', 'text/plain', 'text/csv']}
            onSelect={(files) => void files?.[0]?.text().then(setText)}
          >
            <Button isSmall icon="list">
              {t.upload}
            </Button>
          </FileTrigger>
        </Line>
      </Stack>
    </Dialog>
  );
}

function faultOf(fresh: readonly string[], before: number): string | undefined {
  if (fresh.length === 0) return t.nothingNew;
  if (before + fresh.length > MOST_KEYS) return t.tooMany(formatNumber(before + fresh.length));
  return fresh.some((key) => [...key].length > LONGEST_KEY) ? t.tooLong : undefined;
}

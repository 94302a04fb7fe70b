import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  useFilter,
} from 'react-aria-components';
import { unwrap } from '../../api/client.ts';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import overlay from '../../ui/overlay.module.css';
import { SearchField } from '../../ui/search-field.tsx';
import type { PageDefinition } from '../page-definition.ts';
import { useScope } from '../scope/use-scope.ts';
import { useApi } from '../services.ts';
import { t } from '../shell/messages.ts';
import { listActions } from './actions.ts';
import { bestFirst } from './best-first.ts';
import styles from './palette.module.css';

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly icon: IconName;
  readonly run: () => void;
}

/** Finds pages and flags, and runs the actions of the page on the screen. */
export function Palette({
  pages,
  onClose,
}: {
  readonly pages: readonly PageDefinition[];
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const { hrefTo } = useScope();
  const { contains } = useFilter({ sensitivity: 'base' });
  const open = (href: string) => (): void => void navigate({ href });
  const groups = [
    {
      title: t.palette.actions,
      entries: listActions().map(
        ({ id, label, hint, run }): Entry => ({ id, label, note: hint, icon: 'bolt', run }),
      ),
    },
    {
      title: t.palette.pages,
      entries: pages
        .filter(({ section }) => section !== 'none')
        .map(({ id, label, icon, path }): Entry => ({ id, label, icon, run: open(hrefTo(path)) })),
    },
  ].map(({ title, entries }) => ({ title, entries: entries.filter(({ label }) => contains(label, text)) }));
  const flags = bestFirst(useFlags(text), text).map(
    ({ key, name }): Entry => ({
      id: `flag ${key}`,
      label: name,
      note: key,
      icon: 'flag',
      run: open(hrefTo(`flags/${key}`)),
    }),
  );
  const shown = [...groups, { title: t.palette.flags, entries: flags }].filter(
    ({ entries }) => entries.length > 0,
  );
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className={overlay.scrim}
    >
      <Modal className={overlay.modal}>
        <Dialog className={overlay.dialog} aria-label={t.findOrDo}>
          <div className={styles.box}>
            <Autocomplete inputValue={text} onInputChange={setText}>
              <SearchField
                label={t.findOrDo}
                placeholder={t.palette.placeholder}
                value={text}
                onChange={setText}
                autoFocus
              />
              <Menu
                className={overlay.list}
                aria-label={t.findOrDo}
                onAction={onClose}
                renderEmptyState={() => <div className={overlay.heading}>{t.palette.nothing}</div>}
              >
                {shown.map(renderGroup)}
              </Menu>
            </Autocomplete>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function useFlags(text: string): readonly { readonly key: string; readonly name: string }[] {
  const api = useApi();
  const { environments } = useScope();
  const search = useDeferredValue(text.trim());
  const environmentId = environments[0]?.id;
  const { data } = useQuery({
    queryKey: ['flag', 'palette', environmentId, search],
    enabled: search !== '' && environmentId !== undefined,
    queryFn: async () => {
      const query = { environment_id: environmentId!, search, per_page: 8 };
      return (await unwrap(api.GET('/api/v1/flags', { params: { query } }))).data;
    },
  });
  return search === '' ? [] : (data ?? []);
}

function renderGroup({ title, entries }: { readonly title: string; readonly entries: readonly Entry[] }) {
  return (
    <MenuSection key={title} aria-label={title}>
      <Header className={overlay.heading}>{title}</Header>
      {entries.map((entry) => (
        <MenuItem
          key={entry.id}
          id={entry.id}
          textValue={entry.label}
          onAction={entry.run}
          className={overlay.item}
        >
          <Icon name={entry.icon} />
          <span className={overlay.itemText}>
            {entry.label}
            {entry.note && <span className={overlay.itemNote}>{entry.note}</span>}
          </span>
        </MenuItem>
      ))}
    </MenuSection>
  );
}

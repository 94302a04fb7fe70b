import type { FlagKey } from '@flagsvc/sdk-core';
import { type DevtoolsClient, describeFlag, listFlags, toLine } from './describe-flag.ts';
import { button, element, setText } from './elements.ts';
import { createOverrideEditor } from './override-editor.ts';
import type { Tab } from './tab.ts';

const createRow = (client: DevtoolsClient, flagKey: string) => {
  const source = element('span', { class: 'source' });
  const value = element('code', { class: 'value' });
  const why = element('p', { class: 'why' });
  const rule = element('code');
  const details = element('details', {}, element('summary', {}, 'Rule'), rule);
  const editor = createOverrideEditor(client, flagKey);
  const head = element('div', { class: 'head' }, element('strong', {}, flagKey), source);
  const root = element('li', {}, head, editor.root, value, why, details);
  return {
    root,
    update(served: ReturnType<DevtoolsClient['evaluateAll']>) {
      const flag = describeFlag(client, flagKey, served);
      setText(source, flag.source);
      source.dataset['source'] = flag.source;
      setText(value, toLine(flag.value));
      setText(why, flag.isRead ? `${flag.why} · read by this page` : flag.why);
      details.hidden = flag.rule === undefined;
      setText(rule, flag.rule ?? '');
      root.classList.toggle('overridden', flag.isOverridden);
      editor.update(flag);
    },
  };
};

/** The form that overrides a flag which is not in the list. */
const createAddForm = (client: DevtoolsClient) => {
  const key = element('input', {
    'aria-label': 'Flag key',
    placeholder: 'another flag',
    spellcheck: 'false',
  });
  const value = element('input', { 'aria-label': 'Value', placeholder: 'true, 5, text, {…}' });
  const form = element('form', { class: 'add' }, key, value, element('button', {}, 'Override'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const flagKey = key.value.trim();
    if (!flagKey || !value.value) return (flagKey ? value : key).focus();
    let parsed: unknown = value.value;
    try {
      parsed = JSON.parse(value.value);
    } catch {
      // Text without quotes is a string.
    }
    client.overrides.set(flagKey as FlagKey, parsed as never);
    form.reset();
    key.focus();
  });
  return form;
};

/** The tab with all flags. */
export const createFlagList = (client: DevtoolsClient): Tab => {
  const search = element('input', {
    type: 'search',
    'aria-label': 'Search flags',
    placeholder: 'Search flags',
  });
  const resetAll = button('Reset all', () => client.overrides.reset(), { class: 'reset-all' });
  const link = element('input', {
    class: 'link',
    readonly: true,
    'aria-label': 'Link with these overrides',
    hidden: true,
  });
  const share = button('Copy link', async () => {
    link.value = client.overrides.link();
    try {
      await navigator.clipboard.writeText(link.value);
      share.textContent = 'Copied';
      setTimeout(() => setText(share, 'Copy link'), 2000);
    } catch {
      // Without permission, the developer copies the selected text.
      link.hidden = false;
      link.select();
    }
  });
  const list = element('ul', { class: 'flags' });
  const empty = element('p', { class: 'empty' });
  const tools = element('div', { class: 'tools' }, search, share, resetAll);
  const rows = new Map<string, ReturnType<typeof createRow>>();
  const update = () => {
    const served = client.overrides.original.evaluateAll();
    const keys = listFlags(client);
    const text = search.value.toLowerCase();
    for (const key of keys) {
      const row = rows.get(key) ?? createRow(client, key);
      rows.set(key, row);
      row.update(served);
      row.root.hidden = !key.toLowerCase().includes(text);
    }
    const shown = keys.map((key) => rows.get(key)!.root);
    // Moving a row would take the focus from its field.
    if (shown.some((row, at) => list.children[at] !== row) || list.children.length !== shown.length)
      list.replaceChildren(...shown);
    const count = Object.keys(client.overrides.values()).length;
    resetAll.hidden = !count;
    setText(resetAll, `Reset all (${count})`);
    const isFound = shown.some((row) => !row.hidden);
    empty.hidden = isFound;
    setText(
      empty,
      keys.length ? `No flag contains “${search.value}”.` : `No flags yet: the client is ${client.status()}.`,
    );
  };
  search.addEventListener('input', update);
  return { name: 'Flags', root: element('div', {}, tools, link, list, empty, createAddForm(client)), update };
};

import type { Context } from '@flagsvc/sdk-core';
import type { DevtoolsClient } from './describe-flag.ts';
import { button, element, setText } from './elements.ts';
import type { Tab } from './tab.ts';

const textOf = (context: Context) => JSON.stringify(context, null, 2);

/** The tab that changes the user, until the page is reloaded or sets a context of its own. */
export const createContextEditor = (client: DevtoolsClient): Tab => {
  const first = client.context();
  const field = element('textarea', { 'aria-label': 'Context', rows: '12', spellcheck: 'false' });
  const message = element('p', { role: 'status' });
  let shown = '';
  const show = (context: Context) => {
    shown = textOf(context);
    field.value = shown;
  };
  const apply = async (read: () => Context) => {
    field.removeAttribute('aria-invalid');
    setText(message, 'Fetching the answers for this user…');
    try {
      const context = read();
      const isServed = await client.setContext(context);
      show(client.context());
      setText(
        message,
        isServed ? 'The flags are those of this user.' : `No answers yet: the client is ${client.status()}.`,
      );
    } catch (error) {
      field.setAttribute('aria-invalid', 'true');
      setText(message, error instanceof Error ? error.message : String(error));
    }
  };
  const buttons = element(
    'div',
    { class: 'tools' },
    button('Apply', () => void apply(() => JSON.parse(field.value)), { class: 'primary' }),
    button("Back to the page's user", () => void apply(() => first)),
  );
  show(first);
  return {
    name: 'Context',
    root: element('div', {}, field, buttons, message),
    update() {
      // Edits are kept, but the page may have set another user.
      const current = client.context();
      if (field.value === shown && textOf(current) !== shown) show(current);
    },
  };
};

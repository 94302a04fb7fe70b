import type { Activity } from '../activity.ts';
import type { DevtoolsClient } from './describe-flag.ts';
import { button, element, setText } from './elements.ts';
import type { Tab } from './tab.ts';

const timeOf = (at: number) => new Date(at).toTimeString().slice(0, 8);

const createEntry = ({ at, kind, text }: Activity) =>
  element(
    'li',
    { 'data-kind': kind },
    element('time', {}, timeOf(at)),
    element('span', { class: 'kind' }, kind),
    element('span', { class: 'text' }, text),
  );

/** The tab with the last reads, changes and events, newest first. */
export const createActivityView = (client: DevtoolsClient): Tab => {
  const { log } = client.overrides;
  const counts = element('p', { class: 'why' });
  const list = element('ol', { class: 'activity' });
  const elements = new Map<Activity, HTMLElement>();
  const clear = button('Clear', () => log.clear());
  return {
    name: 'Activity',
    root: element('div', {}, element('div', { class: 'tools' }, counts, clear), list),
    update() {
      const { recorded, delivered, pending, dropped } = client.stats();
      setText(
        counts,
        `Events: ${recorded} recorded, ${delivered} delivered, ${pending} pending, ${dropped} dropped`,
      );
      const entries = log.entries();
      const kept = new Set(entries);
      for (const entry of elements.keys()) if (!kept.has(entry)) elements.delete(entry);
      for (const entry of entries) if (!elements.has(entry)) elements.set(entry, createEntry(entry));
      list.replaceChildren(...[...entries].reverse().map((entry) => elements.get(entry)!));
    },
  };
};

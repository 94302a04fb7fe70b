/** Counts renders of a hundred memoized components with one flag each, in a jsdom page. */
import { act, createElement, memo, useLayoutEffect, useReducer } from 'react';
import { createRoot } from 'react-dom/client';
import type { CreateSubject, Subject, Values } from './subject.ts';

const KEYS = Array.from({ length: 100 }, (_, at) => `flag-${at}`);
const valuesWith = (more: Values = {}): Values => ({
  ...Object.fromEntries(KEYS.map((key) => [key, false])),
  ...more,
});
/** Waits long enough for work that a client defers. */
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 150)));

const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };

const mount = () => {
  environment.IS_REACT_ACT_ENVIRONMENT = true;
  const container = document.createElement('div');
  document.body.append(container);
  return { container, root: createRoot(container) };
};

/** The number of cell renders for each action. */
const countRenders = async (subject: Subject): Promise<number[]> => {
  let renders = 0;
  let renderAbove = () => {};
  const Cell = memo(({ flagKey }: { readonly flagKey: string }) => {
    renders++;
    return createElement('i', {}, String(subject.useFlag(flagKey)));
  });
  const cells = KEYS.map((key) => createElement(Cell, { key, flagKey: key }));
  const Above = () => {
    renderAbove = useReducer((count: number) => count + 1, 0)[1];
    return createElement(subject.Provider, {}, cells);
  };
  const { root } = mount();
  await act(async () => root.render(createElement(Above)));
  await settle();
  const counts: number[] = [];
  const occasions = [
    () => subject.publish(valuesWith({ 'flag-42': true })),
    () => subject.publish(valuesWith({ 'flag-42': true })),
    () => subject.setContext(),
    () => renderAbove(),
  ];
  for (const occasion of occasions) {
    renders = 0;
    await act(async () => {
      await occasion();
    });
    await settle();
    counts.push(renders);
  }
  await act(async () => root.unmount());
  return counts;
};

/** Changes a component's flag key, and reports whether every commit shows the right value. */
const changeKey = async (subject: Subject): Promise<string> => {
  const commits: boolean[] = [];
  const Cell = ({ flagKey }: { readonly flagKey: string }) => {
    const value = subject.useFlag(flagKey);
    useLayoutEffect(() => void commits.push(value));
    return null;
  };
  const { root } = mount();
  const show = (flagKey: string) =>
    act(async () => root.render(createElement(subject.Provider, {}, createElement(Cell, { flagKey }))));
  await show('flag-0');
  await settle();
  commits.length = 0;
  // The flag has served true since an earlier action.
  await show('flag-42');
  await settle();
  const wrong = commits.indexOf(true);
  await act(async () => root.unmount());
  return wrong < 0 ? 'wrong forever' : wrong === 0 ? 'right' : `${wrong} wrong commit${wrong > 1 ? 's' : ''}`;
};

/** Publishes an update after the first render and before hooks subscribe in effects; reports whether the page shows it. */
const updateEarly = async (subject: Subject): Promise<string> => {
  const Cell = () => {
    const value = subject.useFlag('flag-7');
    useLayoutEffect(() => void subject.publish(valuesWith({ 'flag-7': true })), []);
    return createElement('i', {}, String(value));
  };
  const { container, root } = mount();
  // As in a page, promises settle before React runs effects.
  environment.IS_REACT_ACT_ENVIRONMENT = false;
  root.render(createElement(subject.Provider, {}, createElement(Cell)));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const text = container.textContent;
  root.unmount();
  return text === 'true' ? 'ok' : 'lost';
};

/** One row of the table. */
export const measure = async (create: CreateSubject): Promise<(number | string)[]> => {
  const subject = await create(valuesWith());
  const counts = await countRenders(subject);
  return [...counts, await changeKey(subject), await updateEarly(await create(valuesWith()))];
};

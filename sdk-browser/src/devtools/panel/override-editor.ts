import type { FlagKey, Json } from '@flagsvc/sdk-core';
import { type DevtoolsClient, type FlagDescription, toLine } from './describe-flag.ts';
import { button, element } from './elements.ts';

/** The control that overrides one flag. */
export interface OverrideEditor {
  readonly root: HTMLElement;
  /** Shows the current value, unless the developer is typing. */
  update(flag: FlagDescription): void;
}

type Kind = 'boolean' | 'number' | 'string' | 'json';

const kindOf = (value: unknown): Kind =>
  typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
    ? (typeof value as Kind)
    : 'json';

const AS_SERVED = 'as served';

/** The value in a text field; undefined if it is not of this kind. */
const parse = (text: string, kind: Kind): Json | undefined => {
  if (kind === 'string') return text;
  try {
    const value = JSON.parse(text);
    return kind === 'json' || typeof value === kind ? value : undefined;
  } catch {
    return;
  }
};

const createSelect = (choices: readonly Json[], label: string, onPick: (value: Json | undefined) => void) => {
  const options = [AS_SERVED, ...choices.map(toLine)].map((text, at) =>
    element('option', { value: String(at) }, text),
  );
  const select = element('select', { 'aria-label': label }, ...options);
  select.addEventListener('change', () => onPick(choices[Number(select.value) - 1]));
  return {
    field: select,
    show(value: unknown, isOverridden: boolean) {
      const at = choices.findIndex((choice) => toLine(choice) === toLine(value));
      select.value = isOverridden ? String(at + 1) : '0';
    },
  };
};

const createTextField = (kind: Kind, label: string, onPick: (value: Json | undefined) => void) => {
  const field =
    kind === 'json'
      ? element('textarea', { 'aria-label': label, rows: '1', spellcheck: 'false' })
      : element('input', { 'aria-label': label, spellcheck: 'false', autocomplete: 'off' });
  field.placeholder = AS_SERVED;
  field.addEventListener('change', () => {
    const value = parse(field.value, kind);
    const isWrong = field.value !== '' && value === undefined;
    field.setAttribute('aria-invalid', String(isWrong));
    field.title = isWrong ? `not a ${kind === 'json' ? 'JSON value' : kind}; clear the field to reset` : '';
    if (!isWrong) onPick(field.value === '' ? undefined : value);
  });
  return {
    field,
    show(value: unknown, isOverridden: boolean) {
      // A field with a wrong text keeps it until it is mended.
      const root = field.getRootNode() as ShadowRoot;
      if (root.activeElement === field || field.getAttribute('aria-invalid') === 'true') return;
      const text = kind === 'string' && typeof value === 'string' ? value : toLine(value);
      field.value = isOverridden ? text : '';
    },
  };
};

/** A control for the values that the flag can have: a list if they are known, otherwise a text field. */
export const createOverrideEditor = (client: DevtoolsClient, flagKey: string): OverrideEditor => {
  const root = element('div', { class: 'editor' });
  const pick = (value: Json | undefined) => {
    if (value === undefined) client.overrides.reset(flagKey as FlagKey);
    else client.overrides.set(flagKey as FlagKey, value as never);
  };
  const reset = button('Reset', () => pick(undefined), { 'aria-label': `Reset ${flagKey}` });
  let shape = '';
  let control: ReturnType<typeof createSelect> | ReturnType<typeof createTextField>;
  return {
    root,
    update({ value, choices, isOverridden, override }) {
      const kind = kindOf(value);
      const known = choices.length ? choices : kind === 'boolean' ? [true, false] : [];
      const shown = isOverridden ? override : value;
      const isKnown = known.some((choice) => toLine(choice) === toLine(shown));
      const next = isKnown || (known.length && !isOverridden) ? `list ${toLine(known)}` : kind;
      if (next !== shape) {
        shape = next;
        const label = `Override ${flagKey}`;
        control = next.startsWith('list')
          ? createSelect(known, label, pick)
          : createTextField(kind, label, pick);
        root.replaceChildren(control.field, reset);
      }
      reset.hidden = !isOverridden;
      control.show(override, isOverridden);
    },
  };
};

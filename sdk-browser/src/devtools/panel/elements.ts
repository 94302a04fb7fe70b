/** Creates the elements of the panel without HTML text, which a strict Content-Security-Policy forbids. */

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** An element with these attributes and children. True sets an empty attribute; false and undefined set none. */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] => {
  const created = document.createElement(tag);
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value !== undefined && value !== false) created.setAttribute(name, value === true ? '' : value);
  }
  created.append(...children);
  return created;
};

/** A button that runs `onPress`. */
export const button = (
  label: string,
  onPress: () => void,
  attributes: Attributes = {},
): HTMLButtonElement => {
  const created = element('button', { type: 'button', ...attributes }, label);
  created.addEventListener('click', onPress);
  return created;
};

/** Runs `work` before the next frame, once, however often the returned function is called until then. */
export const oncePerFrame = (work: () => void): (() => void) => {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    // A timer, because frames stop while the page is hidden.
    setTimeout(() => {
      isPlanned = false;
      work();
    }, 16);
  };
};

/** Sets the text only if it differs, because a screen reader announces each change. */
export const setText = (node: Element, text: string): void => {
  if (node.textContent !== text) node.textContent = text;
};

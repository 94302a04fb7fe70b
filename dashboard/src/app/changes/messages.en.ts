export const en = {
  comment: 'Why',
  commentHelp: 'Kept with the change. An environment that it reaches asks for it.',
  commentFirst: 'Say why first',
  breakGlass: 'Break glass',
  frozenBy: (name: string, end: string | undefined) =>
    `The freeze “${name}” stops this change${end === undefined ? '' : ` until ${end}`}.`,
};

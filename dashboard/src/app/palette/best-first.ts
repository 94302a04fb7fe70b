/** Names that begin with the text, then those with a word that does, then the others as the server orders them. */
export function bestFirst<Named extends { readonly name: string; readonly key: string }>(
  flags: readonly Named[],
  text: string,
): readonly Named[] {
  const wanted = text.trim().toLocaleLowerCase();
  const rank = ({ name, key }: Named): number => {
    const names = [name.toLocaleLowerCase(), key.toLocaleLowerCase()];
    if (names.includes(wanted)) return 0;
    if (names.some((one) => one.startsWith(wanted))) return 1;
    return names.some((one) => one.split(/[\s._-]+/).some((word) => word.startsWith(wanted))) ? 2 : 3;
  };
  return flags.toSorted((a, b) => rank(a) - rank(b));
}

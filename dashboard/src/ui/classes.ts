/** The class names that are given, in one attribute. */
export function classes(...names: readonly (string | false | undefined | null | '')[]): string {
  return names.filter(Boolean).join(' ');
}

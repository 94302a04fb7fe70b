/**
 * The address that `next` names, or the first page if it is not one of this dashboard. Browsers drop tabs and line ends
 * and turn backslashes, so only a parsed address tells: `/\t/evil.example` is another host.
 */
export function ownAddress(next: string | undefined, home: string): string {
  if (next === undefined || !URL.canParse(next, home)) return '/';
  const { origin, pathname, search } = new URL(next, home);
  return origin === home && !pathname.startsWith('//') ? pathname + search : '/';
}

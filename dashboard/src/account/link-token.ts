const TOKEN = /^#token=([A-Za-z0-9._~-]{1,200})$/;

/**
 * The token of the link that opened the page, from its fragment, which browsers send to no server. Removes it from the
 * address before the first request, so that no history or screenshot keeps it.
 */
export function takeLinkToken(): string | undefined {
  const token = TOKEN.exec(location.hash)?.[1];
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/** The cookie that holds the refresh token of a person's browser. */
export interface RefreshCookie {
  /** The different values of the cookie in a `Cookie` header. Other programs on the same host can add values. */
  read(header: string | undefined): readonly string[];
  /** The value of `Set-Cookie` that stores a refresh token. */
  store(token: string): string;
  /** The value of `Set-Cookie` that removes the cookie. */
  remove(): string;
}

/** Validity of a refresh token. */
const MAX_AGE_SECONDS = 30 * 86_400;
/** Scripts cannot read the cookie, other sites cannot send it, and only `/auth` receives it. */
const ATTRIBUTES = 'Path=/auth; HttpOnly; SameSite=Strict';

/**
 * The name contains the port, because browsers send cookies to all ports of a host: two installations on one machine
 * would otherwise overwrite each other's session. Under https, the prefix `__Secure-` keeps pages served over http from
 * setting the cookie; `__Host-` would require the path `/`.
 */
export function createRefreshCookie(origin: string): RefreshCookie {
  const { port, protocol } = new URL(origin);
  const isHttps = protocol === 'https:';
  const name = `${isHttps ? '__Secure-' : ''}flagsvc_refresh${port && `_${port}`}`;
  const attributes = isHttps ? `${ATTRIBUTES}; Secure` : ATTRIBUTES;
  return {
    read(header = '') {
      const values = header
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      return [...new Set(values)].filter((value) => /^[\w-]{1,512}$/.test(value));
    },
    store: (token) => `${name}=${token}; Max-Age=${MAX_AGE_SECONDS}; ${attributes}`,
    remove: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

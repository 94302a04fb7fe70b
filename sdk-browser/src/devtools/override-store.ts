import {
  cookieText,
  type FlagOverrides,
  findOverrides,
  linkWithOverrides,
  OVERRIDES_NAME,
  parseOverrides,
} from './override-text.ts';

/** Browsers ignore longer cookies. */
const MAX_COOKIE_LENGTH = 4096;

/** Keeps the overrides of a page across reloads. */
export interface OverrideStore {
  load(): FlagOverrides;
  save(overrides: FlagOverrides): void;
}

/** Runs work that blocked storage, sandboxed frames and missing globals make throw. */
const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    // Then overrides last until the page is reloaded.
    return;
  }
};

const writeCookie = (json: string | undefined) => {
  const pair = json === undefined ? `${OVERRIDES_NAME}=; max-age=0` : cookieText(json);
  const secure = location.protocol === 'https:' ? '; secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous, and the next request needs the cookie
  if (pair.length <= MAX_COOKIE_LENGTH) document.cookie = `${pair}; path=/; samesite=lax${secure}`;
};

/**
 * Keeps overrides in a cookie, so that the server renders the same values. The cookie lasts until the browser is closed.
 * Overrides that do not fit into a cookie are kept in localStorage. The parameter of the address wins over both, until
 * the overrides are changed in this page.
 */
export const createOverrideStore = (): OverrideStore => ({
  load() {
    const found = attempt(() => findOverrides({ url: location.href, cookie: document.cookie }));
    const kept = found ?? parseOverrides(attempt(() => localStorage.getItem(OVERRIDES_NAME)));
    // The next page of a visit has no parameter.
    if (found) attempt(() => keep(found));
    return kept ?? {};
  },
  save(overrides) {
    attempt(() => keep(overrides));
    // Otherwise a reload would restore the overrides of the address. The page's own state stays, for its router.
    attempt(() => {
      if (new URL(location.href).searchParams.has(OVERRIDES_NAME))
        history.replaceState(history.state, '', linkWithOverrides(location.href, {}));
    });
  },
});

const keep = (overrides: FlagOverrides) => {
  const json = Object.keys(overrides).length ? JSON.stringify(overrides) : undefined;
  attempt(() => writeCookie(undefined));
  attempt(() => writeCookie(json));
  const isInCookie = attempt(() => json === JSON.stringify(findOverrides({ cookie: document.cookie })));
  if (json === undefined || isInCookie) localStorage.removeItem(OVERRIDES_NAME);
  else localStorage.setItem(OVERRIDES_NAME, json);
};

import { resolve } from 'node:path';

const SQLITE = 'sqlite:';

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** The absolute path of the file of an SQLite database; undefined if it is in memory or on PostgreSQL. */
export function sqliteFileOf(url: string): string | undefined {
  if (!url.startsWith(SQLITE)) return undefined;
  const path = url.slice(SQLITE.length).replace(/^\/\/(?=\/)/, '');
  return path === ':memory:' || path === '' ? undefined : resolve(path);
}

/** The URL without the password and the parameters, which may be secret too. */
export function withoutSecrets(url: string): string {
  if (!isPostgresUrl(url)) return url;
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

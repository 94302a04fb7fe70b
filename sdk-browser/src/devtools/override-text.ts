import type { Flags } from '@flagsvc/sdk-core';

/** Name of the URL parameter, the cookie and the storage entry that hold overrides. */
export const OVERRIDES_NAME = 'flagsvc-overrides';

/** Values by flag key, typed if `Flags` is filled. A flag that is not listed is not overridden. */
export type FlagOverrides = [keyof Flags] extends [never]
  ? { readonly [flagKey: string]: unknown }
  : Partial<Flags>;

/** Where a request carries overrides. */
export interface OverrideSource {
  /** The address of the request, absolute or not. Its parameter wins over the cookie. */
  readonly url?: string | null | undefined;
  /** The `Cookie` header. */
  readonly cookie?: string | null | undefined;
}

/** Freezes a JSON value with everything in it, because all readers get the same object. */
export const freezeJson = (_name: string, part: unknown): unknown => Object.freeze(part);

/** The overrides in a text; undefined unless the text is a JSON object. */
export const parseOverrides = (text: string | null | undefined): FlagOverrides | undefined => {
  try {
    const parsed = JSON.parse(text!, freezeJson);
    return Object(parsed) === parsed && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    // Not JSON, or no text.
    return;
  }
};

const parameterOf = (url: string): string | null => {
  try {
    return new URL(url, 'http://localhost').searchParams.get(OVERRIDES_NAME);
  } catch {
    // Not an address.
    return null;
  }
};

const cookieOf = (header: string): string | undefined => {
  const prefix = `${OVERRIDES_NAME}=`;
  const found = header.split(/; */).find((pair) => pair.startsWith(prefix));
  try {
    return found && decodeURIComponent(found.slice(prefix.length));
  } catch {
    // A damaged cookie.
    return;
  }
};

/** The overrides in the page's address, or else in its cookie; undefined if there are none. */
export const findOverrides = ({ url, cookie }: OverrideSource): FlagOverrides | undefined =>
  parseOverrides(parameterOf(url ?? '')) ?? parseOverrides(cookieOf(cookie ?? ''));

/**
 * The overrides that a request carries, for servers that render pages. Text that is not a JSON object is ignored. Never
 * throws. Any visitor can send overrides, so use them only where visitors may set flags.
 */
export const readOverrides = (source: OverrideSource): FlagOverrides => findOverrides(source) ?? {};

/** The text of a cookie. */
export const cookieText = (json: string): string =>
  // A cookie must not contain commas, semicolons or characters beyond ASCII.
  `${OVERRIDES_NAME}=${encodeURIComponent(json)}`;

/** The address with these overrides as its parameter, or without the parameter if there are none. */
export const linkWithOverrides = (url: string, overrides: FlagOverrides): string => {
  const link = new URL(url);
  if (Object.keys(overrides).length) link.searchParams.set(OVERRIDES_NAME, JSON.stringify(overrides));
  else link.searchParams.delete(OVERRIDES_NAME);
  return link.href;
};

import { type TypedContext, typedOf } from './typed-context.ts';

const NAME = 'context';
/** Longer links are cut by mail programs and chats. */
const LENGTH_MAX = 8_000;

/**
 * The part of a link that carries a context. It is in the fragment, because a context is personal data: browsers send
 * the fragment to no server, so it is in no access log and in no `Referer`. Undefined for a context that is too long.
 */
export function contextFragment(context: unknown): string | undefined {
  const text = encodeURIComponent(JSON.stringify(context));
  return text.length > LENGTH_MAX ? undefined : `#${NAME}=${text}`;
}

/** The context of a link that a colleague sent; undefined when the fragment has none. */
export function readFragment(fragment: string): TypedContext | undefined {
  const text = fragment.replace(/^#/, '');
  if (!text.startsWith(`${NAME}=`)) return undefined;
  try {
    return typedOf(JSON.parse(decodeURIComponent(text.slice(NAME.length + 1))));
  } catch {
    return undefined;
  }
}

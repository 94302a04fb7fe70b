import type { Json } from './protocol.ts';

/**
 * The flags of your application, by key. Empty until you fill it by module augmentation, by hand or with a generator:
 *
 * ```ts
 * declare module '@flagsvc/sdk-core' {
 *   interface Flags { 'new-checkout': boolean; 'button-colour': 'red' | 'green' }
 * }
 * ```
 *
 * Once it is filled, a typo in a key, a default of the wrong type and an unhandled variation do not compile. While it is
 * empty, any key is accepted and a flag has the type of its default value.
 */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what module augmentation needs
export interface Flags {}

/** The key of a flag: any string while `Flags` is empty, otherwise one of the keys of `Flags`. */
export type FlagKey = [keyof Flags] extends [never] ? string : keyof Flags & string;

/** The type of a default value for this flag: the flag's own type, or anything while `Flags` is empty. */
export type FlagDefault<Key extends string> = Key extends keyof Flags ? Flags[Key] : unknown;

/** The type of this flag's value: the flag's own type, or the default's type with its literals widened. */
export type FlagValue<Key extends string, Default> = Key extends keyof Flags ? Flags[Key] : Widened<Default>;

type Widened<T> = T extends boolean
  ? boolean
  : T extends string
    ? string
    : T extends number
      ? number
      : T extends null | undefined
        ? Json
        : T;

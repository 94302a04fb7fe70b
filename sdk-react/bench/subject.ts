import type { ComponentType, PropsWithChildren } from 'react';

/** Boolean flags by key. */
export type Values = Readonly<Record<string, boolean>>;

/** One SDK in the matrix: its real client, which gets payloads without a network. */
export interface Subject {
  readonly Provider: ComponentType<PropsWithChildren>;
  /** Reads one flag as the SDK's manual recommends; the default value is false. */
  readonly useFlag: (flagKey: string) => boolean;
  /** Delivers a new payload, which may take effect only after further promises have settled. */
  publish(values: Values): unknown;
  /** Sets another attribute of the same user, which no flag uses. */
  setContext(): unknown;
}

/** Creates a subject that already serves the values. */
export type CreateSubject = (values: Values) => Promise<Subject>;

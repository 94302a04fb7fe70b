import type { ComponentType, PropsWithChildren } from 'react';

/** Boolean flags by key. */
export type Values = Readonly<Record<string, boolean>>;

/** One SDK under the matrix: its real client, fed with payloads instead of by a network. */
export interface Subject {
  readonly Provider: ComponentType<PropsWithChildren>;
  /** Reads one flag as the SDK's manual says; the default is false. */
  readonly useFlag: (flagKey: string) => boolean;
  /** A new payload has arrived. What it sets off may end later, but needs no more than promises. */
  publish(values: Values): unknown;
  /** The same user gets another attribute; no flag looks at it. */
  setContext(): unknown;
}

/** Makes a subject that serves the values already. */
export type CreateSubject = (values: Values) => Promise<Subject>;

import type { Hello } from './messages.ts';
import type { Session } from './session.ts';

/** A check of the adapter rather than of its SDK: requests arrive unchanged, and so do answers. */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** Capabilities that the check requires. */
  readonly needs?: readonly string[];
  /** Returns what is wrong, as a message for the adapter's author; undefined if nothing is. */
  run(session: Session, hello: Hello): Promise<string | undefined>;
}

import type { Hello } from './messages.ts';
import type { Session } from './session.ts';

/** A check of the adapter, not of the SDK behind it: that what is asked arrives, and what is answered comes back. */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** Capabilities without which there is nothing to check. */
  readonly needs?: readonly string[];
  /** Gives what is wrong, in words for the adapter's author; undefined when nothing is. */
  run(session: Session, hello: Hello): Promise<string | undefined>;
}

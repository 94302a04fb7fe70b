import type { LoginFailures } from '../control-plane/features/auth/login-failures.ts';
import type { AddCounts } from '../http/shared-rate-store.ts';

/** Counts that all nodes share, kept by a database server. Every method rejects while that is away. */
export interface SharedCounts {
  readonly add: AddCounts;
  readonly failures: LoginFailures;
  /** Deletes counts that have ended. Absent: they expire by themselves. */
  sweep?(): Promise<void>;
  close(): Promise<void>;
}

import type { Actor } from '../access/actor.ts';
import type { ExtraEntry } from './change.ts';

/** One audit entry before it is stored. */
export interface NewAuditEntry extends ExtraEntry {
  readonly id: string;
  readonly actor: Actor;
  readonly comment: string | null;
  readonly at: string;
  readonly breakGlassId: string | null;
  /** The resource's revision before. */
  readonly revision: number | null;
  /** True when the entry shows in every environment of the project. */
  readonly isShared: boolean;
}

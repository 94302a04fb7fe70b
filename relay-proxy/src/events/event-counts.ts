/** Why events were dropped. */
export type DropCause = 'spool_full' | 'too_old' | 'rejected' | 'damaged';

/** Numbers of dropped events by cause. */
export type Losses = Readonly<Partial<Record<DropCause, number>>>;

/** What became of the events that the relay accepted. */
export interface EventCounts {
  received: number;
  forwarded: number;
  readonly dropped: Record<DropCause, number>;
}

export function createEventCounts(): EventCounts {
  return { received: 0, forwarded: 0, dropped: { spool_full: 0, too_old: 0, rejected: 0, damaged: 0 } };
}

import type { QueryClient } from '@tanstack/react-query';
import type { EventSourceMessage } from 'eventsource-parser';
import type { AuditEntry } from '../../api/types.ts';

/** `on`: changes of others arrive at once. `off`: the stream is down; pages are as old as their last load. */
export type LiveState = 'off' | 'on';

export interface Live {
  readonly state: () => LiveState;
  subscribe(listener: () => void): () => void;
  /** Tells of every change that arrives, with who made it. */
  onChange(listener: (entry: AuditEntry) => void): () => void;
  /** Listens until `stop`. */
  start(): void;
  stop(): void;
}

export interface LivePorts {
  readonly send: (request: Request) => Promise<Response>;
  readonly queries: QueryClient;
  /** Waits, or rejects when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const PATH = '/api/v1/changes/stream';
const WAIT_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

/** Resources whose queries a change of another resource outdates. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  flag: ['search', 'audit', 'flag-health'],
  segment: ['search', 'flag', 'audit'],
  freeze_window: ['freeze', 'flag', 'audit'],
  break_glass: ['break-glass', 'freeze', 'audit'],
  environment: ['project', 'flag', 'audit'],
  project: ['environment', 'audit'],
  user: ['member', 'me', 'audit'],
  scheduled_change: ['flag', 'audit'],
};

/**
 * The live changes of the organization. Each marks the queries of its resource as outdated, which reloads those on the
 * screen; drafts are not queries, so nothing that is being edited moves.
 */
export function createLive({ send, queries, wait }: LivePorts): Live {
  let current: LiveState = 'off';
  let stopping: AbortController | undefined;
  const listeners = new Set<() => void>();
  const readers = new Set<(entry: AuditEntry) => void>();
  const set = (next: LiveState): void => {
    if (next === current) return;
    current = next;
    for (const listener of listeners) listener();
  };
  const receive = ({ event, data }: EventSourceMessage): void => {
    if (event === 'reload') void queries.invalidateQueries();
    const entry = parseEntry(data);
    if (entry === undefined) return;
    for (const name of [entry.resource.type, ...(ALSO[entry.resource.type] ?? ['audit'])])
      void queries.invalidateQueries({ queryKey: [name] });
    for (const reader of readers) reader(entry);
  };
  const listen = async (signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const response = await send(
          new Request(new URL(PATH, location.origin), { headers: { accept: 'text/event-stream' }, signal }),
        );
        if (response.ok && response.body !== null) {
          // What happened while the stream was down is not sent again.
          if (failures > 0) void queries.invalidateQueries();
          failures = 0;
          set('on');
          // Loaded with the first stream: the sign-in page has none.
          const { readStream } = await import('./read-stream.ts');
          await readStream(response.body, receive);
        } else if (response.status === 404 || response.status === 403) return;
      } catch {
        // The connection broke: the next attempt follows.
      }
      set('off');
      await wait(WAIT_MS[Math.min(failures, WAIT_MS.length - 1)]!, signal).catch(() => undefined);
    }
  };

  return {
    state: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onChange(listener) {
      readers.add(listener);
      return () => readers.delete(listener);
    },
    start() {
      if (stopping !== undefined) return;
      stopping = new AbortController();
      void listen(stopping.signal);
    },
    stop() {
      stopping?.abort();
      stopping = undefined;
      set('off');
    },
  };
}

function parseEntry(data: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(data) as Partial<AuditEntry>;
    return typeof entry.resource?.type === 'string' ? (entry as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits, or rejects when the signal aborts. */
export function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

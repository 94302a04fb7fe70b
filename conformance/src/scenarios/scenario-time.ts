import { setTimeout as sleep } from 'node:timers/promises';
import { describe, type Session } from '../adapter/session.ts';
import type { ScriptedServer } from '../scripted-server/scripted-server.ts';
import { deadline, measureSlowdown } from '../suite/slowdown.ts';

/** A scenario's time in milliseconds since its start. */
export interface ScenarioTime {
  readonly kind: 'virtual' | 'scaled' | 'real';
  /** Real milliseconds per millisecond of scenario time. */
  readonly scale: number;
  now(): number;
  /** The time of a request that arrives now; undefined while a virtual clock is moving. */
  stampNow(): number | undefined;
  /** The wall clock that the client sees, in milliseconds since 1970. */
  wallMs(): number;
  /** Runs the action after this time. */
  after(ms: number, action: () => void): void;
  /** Lets `ms` pass, or less if `until` returns true earlier. Returns the part of `ms` that is left. */
  advance(ms: number, until?: () => boolean): Promise<number>;
  /** Waits until the client has nothing in progress. */
  settle(): Promise<void>;
  /** Lets the machine sleep: timers fire only when it wakes. Throws unless time is virtual. */
  sleepMachine(ms: number): Promise<void>;
  /** Changes the wall clock. Throws unless time is virtual. */
  jumpWall(ms: number): Promise<void>;
  /** How far a measured time may be from the expected one. `slowdown` multiplies the fixed part, for a busy machine. */
  tolerance(ms: number, slowdown?: number): number;
  /** How late an action of the client may be, given the expected time. */
  lateness(ms: number, slowdown?: number): number;
  /** How long a client may take to process an answer, in real milliseconds; 0 in virtual time. */
  readonly processingMs: number;
  /** How many times longer work takes now than on a quiet machine; 1 in virtual time. */
  slowdown(): number;
}

/** Start of the virtual clock. */
const START_MS = Date.UTC(2026, 0, 1);
/** Real time after which a client that still has work in progress counts as stuck. */
const STUCK_MS = 5_000;
/** How long a command may take; a page with a fleet of clients is slow. */
const COMMAND_LIMIT_MS = 60_000;
/** A client that fires more timers than this at one moment is in an endless loop. */
const MAX_AT_ONCE = 300;

/** Time that stands still until a step moves it, in the adapter and in the kit alike. */
export const createVirtualTime = (session: Session, server: () => ScriptedServer): ScenarioTime => {
  let now = 0;
  let wallOffset = START_MS;
  const due: { at: number; action: () => void }[] = [];
  /** Unanswered requests and total requests when the client was last at rest. */
  let heldAtRest = 0;
  let requestsAtRest = 0;
  let stamped = 0;

  const command = async (cmd: string, ms: number): Promise<{ left: number; pending: number }> => {
    const answer = await session.ask({ cmd, ms }, COMMAND_LIMIT_MS);
    if (answer.kind !== 'ok') throw new Error(`${cmd}: ${describe(answer)}`);
    const { left = 0, pending = 0 } = (answer.value ?? {}) as { left?: number; pending?: number };
    return { left, pending };
  };
  const stamp = () => {
    const { requests } = server();
    for (; stamped < requests.length; stamped++) requests[stamped]!.at ??= now;
  };
  /** Waits until two checks in a row find that the SDK awaits no more answers than the server holds back. */
  const rest = async (pending: number) => {
    const { requests } = server();
    // True if no request has come and the SDK awaits only streams that were already open. If the server holds back any
    // other answer, this is false, because the server may not know yet that the client has aborted the request.
    const open = server().streams();
    const unchanged =
      pending <= open &&
      open === heldAtRest &&
      open === server().held() &&
      requestsAtRest === requests.length;
    let calm = pending === 0 || unchanged ? 2 : 0;
    let left = pending;
    for (const isStuck = deadline(STUCK_MS); calm < 2 && !isStuck(); ) {
      if (left <= server().held()) calm++;
      else calm = 0;
      ({ pending: left } = await command('clock.advance', 0));
      if (left === 0) break;
    }
    heldAtRest = server().held();
    requestsAtRest = requests.length;
    stamp();
  };
  const fireDue = async () => {
    const ready = due.filter(({ at }) => at <= now);
    if (ready.length === 0) return;
    for (const one of ready) due.splice(due.indexOf(one), 1);
    for (const { action } of ready) action();
    const { pending } = await command('clock.advance', 0);
    await rest(pending);
  };
  return {
    kind: 'virtual',
    scale: 1,
    now: () => now,
    stampNow: () => undefined,
    wallMs: () => wallOffset + now,
    after(ms, action) {
      due.push({ at: now + ms, action });
    },
    async advance(ms, until = () => false) {
      const end = now + ms;
      let idle = 0;
      while (now < end && !until()) {
        const soonest = Math.min(end, ...due.map(({ at }) => at));
        const step = soonest - now;
        const { left, pending } = await command('clock.advance', step);
        idle = left === step ? idle + 1 : 0;
        if (idle > MAX_AT_ONCE) throw new Error(`the client fires timers endlessly at ${now} ms`);
        now += step - left;
        await rest(pending);
        await fireDue();
      }
      return end - now;
    },
    async settle() {
      const { pending } = await command('clock.advance', 0);
      await rest(pending);
    },
    async sleepMachine(ms) {
      now += ms;
      const { pending } = await command('clock.sleep', ms);
      await rest(pending);
    },
    async jumpWall(ms) {
      wallOffset += ms;
      await command('clock.jump', ms);
    },
    tolerance: () => 1,
    lateness: () => 1,
    processingMs: 0,
    slowdown: () => 1,
  };
};

/** Delay that other work causes on a quiet machine, in real time. */
const OTHER_WORK_MS = 50;

/**
 * Real time, faster by `scale`: with 0.02, half a minute takes 600 ms. A client may be late by `lateMs` of real time,
 * because some answers, such as a gzip bomb, take longer to read than scaled time allows.
 */
export const createRealTime = (scale: number, lateMs: number = OTHER_WORK_MS): ScenarioTime => {
  const start = performance.now();
  const now = () => (performance.now() - start) / scale;
  return {
    kind: scale === 1 ? 'real' : 'scaled',
    scale,
    now,
    stampNow: now,
    wallMs: () => Date.now(),
    after: (ms, action) => void setTimeout(action, ms * scale),
    async advance(ms, until = () => false) {
      const end = now() + ms;
      while (now() < end && !until()) {
        await sleep(Math.max(1, Math.min(5, (end - now()) * scale)));
      }
      return Math.max(0, end - now());
    },
    async settle() {
      await sleep(15);
    },
    async sleepMachine() {
      throw new Error('only a virtual clock can sleep');
    },
    async jumpWall() {
      throw new Error('only a virtual clock can jump');
    },
    tolerance: (ms, slowdown = 1) => ms * 0.2 + (OTHER_WORK_MS * slowdown) / scale,
    lateness: (ms, slowdown = 1) => ms * 0.2 + (lateMs * slowdown) / scale,
    processingMs: lateMs,
    slowdown: () => measureSlowdown(),
  };
};

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, type Session } from '../adapter/session.ts';
import type { ScriptedPlane } from '../scripted-server/scripted-server.ts';
import { deadline, measureSlowdown } from '../suite/slowdown.ts';

/** The scenario's time, in milliseconds since its start, however it is made. */
export interface ScenarioTime {
  readonly kind: 'virtual' | 'scaled' | 'real';
  /** Real milliseconds for one of the scenario. */
  readonly scale: number;
  now(): number;
  /** The same at the moment of a request; undefined while a virtual clock is being moved. */
  stampNow(): number | undefined;
  /** Wall clock as the client sees it. */
  wallMs(): number;
  /** Runs later. */
  after(ms: number, action: () => void): void;
  /** Lets time pass. Ends early when `until` says so; gives what is left. */
  advance(ms: number, until?: () => boolean): Promise<number>;
  /** Until what is under way has come to rest. */
  settle(): Promise<void>;
  sleepMachine(ms: number): Promise<void>;
  jumpWall(ms: number): Promise<void>;
  /** How wrong a measured time may be, given what it should be. A busy machine gets a multiple of the fixed part. */
  tolerance(ms: number, slowdown?: number): number;
  /** How late what a client does may come, given when it should. */
  lateness(ms: number, slowdown?: number): number;
  /** The same for what should be there now, in real time. */
  readonly patienceMs: number;
  /** How many times longer work takes now than on a quiet machine; 1 where time stands still. */
  slowdown(): number;
}

/** Start of the virtual clock. */
const START_MS = Date.UTC(2026, 0, 1);
/** Real time after which what is still under way is taken for stuck. */
const STUCK_MS = 5_000;
/** A fleet of clients in a page takes its time. */
const COMMAND_LIMIT_MS = 60_000;
/** More than this at one moment is a client that spins. */
const MAX_AT_ONCE = 300;

/** Time that stands still until it is moved, in the adapter and here alike. */
export const createVirtualTime = (session: Session, plane: () => ScriptedPlane): ScenarioTime => {
  let now = 0;
  let wallOffset = START_MS;
  const due: { at: number; action: () => void }[] = [];
  /** How it was when everything last had come to rest. */
  let held = 0;
  let seen = 0;
  let stamped = 0;

  const command = async (cmd: string, ms: number): Promise<{ left: number; pending: number }> => {
    const answer = await session.ask({ cmd, ms }, COMMAND_LIMIT_MS);
    if (answer.kind !== 'ok') throw new Error(`${cmd}: ${describe(answer)}`);
    const { left = 0, pending = 0 } = (answer.value ?? {}) as { left?: number; pending?: number };
    return { left, pending };
  };
  const stamp = () => {
    const { requests } = plane();
    for (; stamped < requests.length; stamped++) requests[stamped]!.at ??= now;
  };
  /** What the SDK awaits must be no more than what the plane holds back, twice over. */
  const rest = async (pending: number) => {
    const { requests } = plane();
    // Nothing new has come, and all that is awaited are streams that were open before. Of other answers that are
    // held back the plane may not know yet that the client has given them up.
    const open = plane().streams();
    const unchanged = pending <= open && open === held && open === plane().held() && seen === requests.length;
    let calm = pending === 0 || unchanged ? 2 : 0;
    let left = pending;
    for (const isStuck = deadline(STUCK_MS); calm < 2 && !isStuck(); ) {
      if (left <= plane().held()) calm++;
      else calm = 0;
      ({ pending: left } = await command('clock.advance', 0));
      if (left === 0) break;
    }
    held = plane().held();
    seen = requests.length;
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
        if (idle > MAX_AT_ONCE) throw new Error(`the client acts without end at ${now} ms`);
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
    patienceMs: 0,
    slowdown: () => 1,
  };
};

/** What other work on a quiet machine can cost, in real time. */
const BUSY_MS = 50;

/**
 * Real time, faster by `scale`: 0.02 makes 600 ms of half a minute. What a client does may be `lateMs` of real time
 * late: some answers, such as a bomb of gzip, take it longer to read than the scenario's hurry allows.
 */
export const createRealTime = (scale: number, lateMs: number = BUSY_MS): ScenarioTime => {
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
    tolerance: (ms, slowdown = 1) => ms * 0.2 + (BUSY_MS * slowdown) / scale,
    lateness: (ms, slowdown = 1) => ms * 0.2 + (lateMs * slowdown) / scale,
    patienceMs: lateMs,
    slowdown: () => measureSlowdown(),
  };
};

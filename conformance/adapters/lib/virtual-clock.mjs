/**
 * A virtual clock that replaces the global timers and clocks, and stands still until `advance`, `sleep` or `jump`.
 * Timers of the runtime itself, such as those of its HTTP client, keep real time.
 */
export const createVirtualClock = () => {
  // In a page these functions throw unless `this` is the window.
  const real = {
    setTimeout: globalThis.setTimeout.bind(globalThis),
    clearTimeout: globalThis.clearTimeout.bind(globalThis),
    setInterval: globalThis.setInterval.bind(globalThis),
    clearInterval: globalThis.clearInterval.bind(globalThis),
    Date: globalThis.Date,
    now: performance.now,
    timeout: AbortSignal.timeout,
    random: Math.random,
  };
  const timers = new Map();
  let monotonic = 0;
  let wall = 0;
  let ids = 0;
  let installed = false;

  class VirtualDate extends real.Date {
    constructor(...args) {
      if (args.length) super(...args);
      else super(wall + monotonic);
    }
    static now() {
      return wall + monotonic;
    }
  }
  /** Whether the runtime itself set this timer, judged by the caller's stack. */
  const isInternal = () =>
    /\n.*\n.*\n.*\((node|bun|ext):/.test(new Error().stack.split('\n').slice(0, 5).join('\n'));
  const add = (callback, delay, args, everyMs) => {
    const id = ++ids;
    const due = monotonic + Math.max(0, Number(delay) || 0);
    timers.set(id, { due, callback: () => callback(...args), everyMs });
    return {
      id,
      ref() {
        return this;
      },
      unref() {
        return this;
      },
      hasRef: () => true,
      refresh() {
        if (timers.has(id)) timers.get(id).due = monotonic + Number(delay);
        return this;
      },
      [Symbol.toPrimitive]: () => id,
    };
  };
  const remove = (timer) => {
    if (timer && typeof timer === 'object' && timer.id !== undefined) timers.delete(timer.id);
    else if (typeof timer === 'number' && timers.has(timer)) timers.delete(timer);
    else real.clearTimeout(timer);
  };
  const nextDue = (until) => {
    let found;
    for (const [id, timer] of timers) {
      if (timer.due <= until && (found === undefined || timer.due < timers.get(found).due)) found = id;
    }
    return found;
  };
  const fire = (id) => {
    const timer = timers.get(id);
    monotonic = Math.max(monotonic, timer.due);
    if (timer.everyMs === undefined) timers.delete(id);
    else timer.due = monotonic + Math.max(1, timer.everyMs);
    timer.callback();
  };
  return {
    real,
    installed: () => installed,
    start(nowMs) {
      timers.clear();
      monotonic = 0;
      wall = nowMs;
      if (installed) return;
      installed = true;
      globalThis.setTimeout = (callback, delay, ...args) =>
        isInternal() ? real.setTimeout(callback, delay, ...args) : add(callback, delay, args);
      globalThis.setInterval = (callback, delay, ...args) =>
        isInternal() ? real.setInterval(callback, delay, ...args) : add(callback, delay, args, delay);
      globalThis.clearTimeout = remove;
      globalThis.clearInterval = remove;
      globalThis.Date = VirtualDate;
      performance.now = () => monotonic;
      AbortSignal.timeout = (ms) => {
        const controller = new AbortController();
        add(() => controller.abort(new DOMException('timed out', 'TimeoutError')), ms, []);
        return controller.signal;
      };
    },
    stop() {
      if (!installed) return;
      installed = false;
      timers.clear();
      const { now, timeout, random, ...globals } = real;
      Object.assign(globalThis, globals);
      performance.now = now;
      AbortSignal.timeout = timeout;
      Math.random = random;
    },
    /**
     * Advances by up to `ms` and returns the rest. Stops early when `paused` says that a timer has caused network
     * activity, after all timers due at that time have fired, so that the answer arrives at the right time.
     */
    async advance(ms, settle, paused) {
      const end = monotonic + ms;
      await settle();
      let count = 0;
      for (let id = nextDue(end); id !== undefined; id = nextDue(end)) {
        fire(id);
        await settle();
        // The limit of 500 ends the loop when a timer reschedules itself without delay.
        if (paused() && (nextDue(monotonic) === undefined || ++count > 500)) return end - monotonic;
      }
      monotonic = Math.max(monotonic, end);
      return 0;
    },
    sleep(ms) {
      monotonic += ms;
    },
    jump(ms) {
      wall += ms;
    },
  };
};

/** Random numbers in [0, 1) that repeat for the same seed (mulberry32). */
export const createSeededRandom = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

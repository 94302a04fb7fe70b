// A toy client that polls on a virtual clock. `mode` names a defect of the clock.
export const createFakeClients = (mode) => {
  const timers = new Set();
  let isMoved = false;
  let now = 0;
  let pending = 0;
  let requests = 0;

  const setTimer = (callback, ms) => {
    if (!isMoved || mode === 'clock-runs-by-itself') return setTimeout(callback, ms).unref();
    return timers.add({ due: now + ms, callback });
  };
  const settle = async () => {
    for (let quiet = 0; pending > 0 && quiet < 30; quiet++) await new Promise((done) => setTimeout(done, 1));
  };
  const poll = async ({ baseUrl, apiKey, pollIntervalMs }) => {
    requests++;
    pending++;
    const answer = await fetch(`${baseUrl}/sdk/ruleset`, { headers: { 'x-api-key': apiKey } }).catch(
      () => {},
    );
    await answer?.text();
    pending--;
    setTimer(() => poll({ baseUrl, apiKey, pollIntervalMs }), pollIntervalMs);
  };
  const advance = async ({ ms }) => {
    const end = now + ms;
    await settle();
    let left = 0;
    for (const timer of [...timers].filter(({ due }) => due <= end)) {
      const before = requests;
      timers.delete(timer);
      now = Math.max(now, timer.due);
      timer.callback();
      await settle();
      left = requests === before || mode === 'clock-runs-past' ? 0 : end - now;
    }
    if (left === 0) now = end;
    return { left, pending: mode === 'clock-forgets-pending' ? 0 : pending };
  };
  return {
    'client.create': ({ config }) => {
      poll(config);
      return {};
    },
    'clock.start': () => {
      isMoved = true;
      timers.clear();
      return {};
    },
    'clock.advance': advance,
    'clock.jump': ({ ms }) => {
      if (mode === 'clock-jump-moves-durations') now += ms;
      return {};
    },
    'clock.stop': () => ({}),
    reset: () => ({}),
  };
};

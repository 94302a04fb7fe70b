/** A Response of these cannot be made with a body. */
const NO_BODY = [0, 101, 204, 205, 304];
const QUIET_MS = 25;

/** Counts what an SDK has asked and not yet been told, so that a clock can wait for it. */
export const createNetwork = (realFetch = globalThis.fetch, realTimers = globalThis) => {
  const { setTimeout: wait } = realTimers;
  // Taken before anybody replaces it.
  const now = performance.now.bind(performance);
  let pending = 0;
  let activity = 0;

  /** Something that an SDK waits for has begun; gives what ends it. */
  const begin = () => {
    pending++;
    activity++;
    let open = true;
    return () => {
      activity++;
      if (open) pending--;
      open = false;
    };
  };
  const fetch = async (input, init) => {
    const done = begin();
    try {
      const response = await realFetch(input, init);
      activity++;
      // A body that is given up is not read to its end.
      for (const signal of [init?.signal, input?.signal]) {
        if (signal?.aborted) done();
        signal?.addEventListener('abort', done, { once: true });
      }
      // A redirect that is not followed has status 0 in a page.
      if (!response.body || NO_BODY.includes(response.status)) {
        done();
        return counted(response, done);
      }
      return counted(new Response(watched(response.body, done), response), done);
    } catch (error) {
      done();
      throw error;
    }
  };
  /** Between the last byte of a body and its text a page may take its time. */
  const counted = (response, done) => {
    for (const name of ['text', 'json', 'arrayBuffer']) {
      const read = response[name].bind(response);
      response[name] = () => {
        const end = begin();
        // One thing is awaited, not two.
        done();
        return read().finally(end);
      };
    }
    return response;
  };
  const watched = (body, done) => {
    const reader = body.getReader();
    return new ReadableStream(
      {
        async pull(controller) {
          try {
            const { done: ended, value } = await reader.read();
            activity++;
            if (ended) {
              done();
              controller.close();
            } else controller.enqueue(value);
          } catch (error) {
            done();
            controller.error(error);
          }
        },
        cancel(reason) {
          done();
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  };
  // Packing is done beside the turns that are counted below.
  globalThis.CompressionStream = class extends globalThis.CompressionStream {
    get readable() {
      return watched(super.readable, begin());
    }
  };
  // A page has no such turns; what it does by itself in between, such as reading a body that is empty, is done
  // before its next timer.
  const turn = () => new Promise((resolve) => (globalThis.setImmediate ?? wait)(resolve, 0));
  const turns = globalThis.setImmediate ? 8 : 2;
  return {
    fetch,
    begin,
    pending: () => pending,
    activity: () => activity,
    /** Until nothing is pending, or nothing has moved for a while. */
    async settle() {
      for (;;) {
        const before = activity;
        for (let count = 0; count < turns; count++) await turn();
        if (activity !== before) continue;
        if (pending === 0) return;
        const since = now();
        while (activity === before && now() - since < QUIET_MS)
          await new Promise((resolve) => wait(resolve, 1));
        if (activity === before) return;
      }
    },
  };
};

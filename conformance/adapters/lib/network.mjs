/** Statuses with which the Response constructor accepts no body. */
const NO_BODY = [0, 101, 204, 205, 304];
const QUIET_MS = 25;

/** Wraps `fetch` and counts requests that are not yet fully answered, so that a virtual clock can wait for them. */
export const createNetwork = (realFetch = globalThis.fetch, realTimers = globalThis) => {
  const { setTimeout: wait } = realTimers;
  // Bound now, because the virtual clock replaces `performance.now`.
  const now = performance.now.bind(performance);
  let pending = 0;
  let activity = 0;

  /** Counts one more pending operation; returns the function that ends it. */
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
      // An aborted request no longer counts, although its body is not read to the end.
      for (const signal of [init?.signal, input?.signal]) {
        if (signal?.aborted) done();
        signal?.addEventListener('abort', done, { once: true });
      }
      // In a page, a redirect that is not followed has status 0 and no body.
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
  /**
   * Also counts a response as pending between the last byte of its body and the decoded text (or JSON), because
   * decoding takes a while in a page.
   */
  const counted = (response, done) => {
    for (const name of ['text', 'json', 'arrayBuffer']) {
      const read = response[name].bind(response);
      response[name] = () => {
        const end = begin();
        // The pending read replaces the pending request.
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
  // Compression runs outside the event loop iterations that `settle` counts.
  globalThis.CompressionStream = class extends globalThis.CompressionStream {
    get readable() {
      return watched(super.readable, begin());
    }
  };
  // A page has no `setImmediate`, so timers replace it. Two are enough: work inside the page, such as reading an empty body, ends before the next timer fires.
  const nextIteration = () => new Promise((resolve) => (globalThis.setImmediate ?? wait)(resolve, 0));
  const iterations = globalThis.setImmediate ? 8 : 2;
  return {
    fetch,
    begin,
    pending: () => pending,
    activity: () => activity,
    /** Waits until no request is pending, or until there was no activity for `QUIET_MS`. */
    async settle() {
      for (;;) {
        const before = activity;
        for (let count = 0; count < iterations; count++) await nextIteration();
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

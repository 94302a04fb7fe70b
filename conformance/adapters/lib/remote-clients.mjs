import { Skip } from './answer.mjs';

/**
 * Speaks the adapter protocol with a worker thread or child process. `post` sends it a text; `leave` lets it end by
 * itself and resolves when it has; `end` kills it.
 */
export const createRemoteClient = ({ post, leave, end }) => {
  const waiting = new Map();
  let seq = 0;
  return {
    leave,
    end,
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.set(++seq, { resolve, reject });
        post(JSON.stringify({ ...request, seq }));
      }),
    /** Handles one answer. */
    take(text) {
      const { seq: given, ok, skipped, error } = JSON.parse(text);
      const { resolve, reject } = waiting.get(given);
      waiting.delete(given);
      if (skipped) reject(new Skip(skipped.reason, skipped.issue));
      else if (error) reject(Object.assign(new Error(error.message), { name: error.kind }));
      else resolve(ok);
    },
    gone(why) {
      for (const { reject } of waiting.values()) reject(new Error(why));
      waiting.clear();
    },
  };
};

/**
 * Client commands that forward requests for clients in a worker thread or child process. `places` has a function that
 * starts each supported kind: `worker`, `child`.
 */
export const withRemoteClients = (commands, places) => {
  const homes = new Map();
  const configs = new Map();
  const handOn =
    ([name, here]) =>
    (request) => {
      const home = homes.get(request.id);
      return home ? home.ask({ ...request, cmd: name }) : here(request);
    };
  const createAt = (place, request) => {
    if (!places[place]) throw new Skip(`there is no ${place} here`);
    const home = places[place]();
    homes.set(request.id, home);
    return home.ask({ ...request, cmd: 'client.create' });
  };
  return {
    ...Object.fromEntries(Object.entries(commands).map((entry) => [entry[0], handOn(entry)])),
    'client.create'({ inside, ...request }) {
      configs.set(request.id, request.config);
      return inside ? createAt(inside, request) : commands['client.create'](request);
    },
    // A forked Node process shares no memory with its parent, so the child creates its own client.
    'client.fork': ({ id, as }) => createAt('child', { id: as, config: configs.get(id) }),
    async 'client.leave'({ id }) {
      await homes.get(id).leave();
      homes.delete(id);
    },
    async reset() {
      await Promise.all([...homes.values()].map(({ end }) => end()));
      homes.clear();
      await commands.reset();
    },
  };
};

import { Skip } from './answer.mjs';

/**
 * Speaks the adapter protocol with another place, such as a worker or a child process. `post` brings a text there;
 * `leave` lets it end by itself and settles when it has, `end` ends it.
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
    /** What came from there. */
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
 * The commands of a client, also for clients in other places: what those are asked is handed on as it came.
 * `places` starts a `worker`, a `child` process, or neither.
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
    // A process of this language begins with nothing, so its client is made anew, as a program that forks would.
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

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker } from 'node:worker_threads';
import { answerTo } from './answer.mjs';
import { createRemoteClient } from './remote-clients.mjs';

const LEAVE = 'leave';

/** A place that runs the module, which calls `serveThread`. */
const open = (other, { post, end }) => {
  const ended = new Promise((resolve) => {
    other.once('exit', (code) => {
      place.gone(`it ended with ${code}`);
      resolve(code);
    });
  });
  const place = createRemoteClient({
    post,
    async leave() {
      post(LEAVE);
      const code = await ended;
      if (code !== 0) throw new Error(`it ended with ${code}`);
    },
    async end() {
      end();
      await ended;
    },
  });
  // Of what it throws, its exit code tells.
  other.on('message', place.take).on('error', (error) => console.error(error));
  return place;
};

/** Places of their own for clients: a thread, and a process. */
export const nodeThreads = (url) => ({
  worker() {
    const worker = new Worker(url);
    return open(worker, { post: (text) => worker.postMessage(text), end: () => worker.terminate() });
  },
  child() {
    // Its stdout is stderr: nobody may write between the adapter's answers.
    const child = fork(fileURLToPath(url), { stdio: ['ignore', 2, 2, 'ipc'] });
    return open(child, { post: (text) => child.send(text), end: () => child.kill('SIGKILL') });
  },
});

/** Answers whoever opened this place, until it is told to leave; from then on nothing of ours keeps it alive. */
export const serveThread = (commands) => {
  const port = parentPort ?? process;
  const close = () => (parentPort ? parentPort.close() : process.disconnect());
  const post = (text) => (parentPort ? parentPort.postMessage(text) : process.send(text));
  // A child whose parent is gone has nobody to leave it.
  const orphan = () => process.exit(1);
  process.once('disconnect', orphan);
  port.on('message', async (text) => {
    if (text !== LEAVE) return post(JSON.stringify(await answerTo(text, commands)));
    process.off('disconnect', orphan);
    close();
  });
};

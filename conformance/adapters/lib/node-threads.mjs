import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker } from 'node:worker_threads';
import { answerTo } from './answer.mjs';
import { createRemoteClient } from './remote-clients.mjs';

const LEAVE = 'leave';

/** A remote client in a thread or process that runs `serveThread`. */
const open = (peer, { post, end }) => {
  const ended = new Promise((resolve) => {
    peer.once('exit', (code) => {
      client.gone(`it ended with ${code}`);
      resolve(code);
    });
  });
  const client = createRemoteClient({
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
  // An uncaught error also shows in the exit code, which `gone` and `leave` report.
  peer.on('message', client.take).on('error', (error) => console.error(error));
  return client;
};

/** Starts clients in a worker thread or in a child process; both run the module at `url`. */
export const nodeThreads = (url) => ({
  worker() {
    const worker = new Worker(url);
    return open(worker, { post: (text) => worker.postMessage(text), end: () => worker.terminate() });
  },
  child() {
    // Its stdout goes to stderr, because the adapter's stdout carries answers only.
    const child = fork(fileURLToPath(url), { stdio: ['ignore', 2, 2, 'ipc'] });
    return open(child, { post: (text) => child.send(text), end: () => child.kill('SIGKILL') });
  },
});

/** Answers the parent's requests until it sends `leave`; then the adapter no longer keeps the thread or process alive. */
export const serveThread = (commands) => {
  const port = parentPort ?? process;
  const close = () => (parentPort ? parentPort.close() : process.disconnect());
  const post = (text) => (parentPort ? parentPort.postMessage(text) : process.send(text));
  // A child whose parent has died would never receive `leave`.
  const orphan = () => process.exit(1);
  process.once('disconnect', orphan);
  port.on('message', async (text) => {
    if (text !== LEAVE) return post(JSON.stringify(await answerTo(text, commands)));
    process.off('disconnect', orphan);
    close();
  });
};

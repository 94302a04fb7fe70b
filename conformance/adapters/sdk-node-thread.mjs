/** sdk-node in a worker thread or a child process of its adapter. */
import { serveThread } from './lib/node-threads.mjs';
import { nodeClientCommands } from './sdk-node-client.mjs';

serveThread(nodeClientCommands());

import { Webhook } from 'standardwebhooks';
import { createOutbound } from '../src/outbound/outbound.ts';
import type { Database } from '../src/storage/database.ts';
import type { Api } from './api.ts';
import type { Body } from './api-call.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { booleanFlag, enter, type FlagBody, startServer, type TestServer } from './server.ts';

/** A test server that may deliver webhooks to receivers on this machine. */
export interface WebhookServer {
  readonly server: TestServer;
  /** The admin's client of the API, with production as its environment. */
  readonly api: Api;
  readonly receiver: Receiver;
  /** The emails that the server has sent. */
  readonly mails: readonly { readonly to: string; readonly subject: string }[];
  /** Runs the background jobs, deliveries included. */
  run(): Promise<void>;
  /** Logs the admin in again: a session ends after a day. */
  login(): Promise<void>;
  /** Creates a webhook for the receiver and all events of flags; earlier events are not sent to it. */
  createWebhook(more?: Partial<Body<'POST /webhooks'>>): ReturnType<Api['webhooks']['create']>;
  /** Creates a flag. Returns its id. */
  createFlag(key: string, more?: Partial<FlagBody>): Promise<string>;
  /** The stored messages in order. */
  readMessages(): ReturnType<typeof readMessages>;
  close(): Promise<void>;
}

/** Starts the server and its receiver. The server may also deliver to `others`. */
export async function startWebhookServer(
  others: readonly Receiver[] = [],
  options: { readonly db?: Database; readonly sendMail?: () => Promise<void> } = {},
): Promise<WebhookServer> {
  const receiver = await startReceiver();
  const mails: { to: string; subject: string }[] = [];
  const server = await startServer({
    outbound: createOutbound({
      allowHttp: true,
      ranges: ['127.0.0.1'],
      ports: [receiver, ...others].map(({ port }) => port),
      totalTimeoutMs: 500,
    }),
    random: () => 0.5,
    sendMail: async (mail) => void mails.push(mail),
    ...options,
  });
  let api = server.as('admin');
  const run = () => server.app.runBackground();
  return {
    server,
    get api() {
      return api;
    },
    receiver,
    mails,
    run,
    async login() {
      api = (await enter(server, 'admin@example.com')).api.in(server.environments.production);
    },
    createWebhook: (async (more = {}) => {
      const webhook = await api.webhooks.create({ url: receiver.url, events: ['flag.*'], ...more });
      await run();
      return webhook;
    }) as WebhookServer['createWebhook'],
    createFlag: async (key, more) => (await api.flags.create(booleanFlag(key, more))).id,
    readMessages: () => readMessages(server),
    async close() {
      await server.close();
      await receiver.close();
    },
  };
}

function readMessages({ db }: TestServer) {
  return db.selectFrom('webhook_messages').selectAll().orderBy('id').execute();
}

/** Whether the reference library accepts the signature, at the time of the message. */
export function isSignedWith(
  secret: string,
  { headers, text }: { readonly headers: Record<string, string>; readonly text: string },
): boolean {
  // The library compares the time of the message with the system clock.
  const { now } = Date;
  Date.now = () => Number(headers['webhook-timestamp']) * 1000;
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  } finally {
    Date.now = now;
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toBody } from '../scripted-server/replies.ts';
import { createSigner } from './sign-ruleset.ts';
import type { KeyName, RelayStep, RulesetFault } from './types.ts';

/** Keys as a server creates them: they end with a checksum. */
export const KEYS: Readonly<Record<KeyName, string>> = {
  relay: 'sdk-dev-ScxTzRJoizoVJMS4OvjCUhDWMjFpksK71JexrD',
  server: 'sdk-dev-qe6ek7n572Rx9aIUNLeD0sd7aaxGDYxz2KdR8L',
  'other server': 'sdk-dev-mcRykhwpal9LCgE9sDQwXbqhpGprn1Fu2ddFzM',
  client: 'sdk-dev-WRVmYVYaNIQ2lKARHWyXpUmIqMqAba7v08r19f',
  unknown: 'sdk-dev-Go5RdYFJWMlXX9np7X6B8IvOY2NxnxBl0tFz41',
};

type Publication = Extract<RelayStep, { readonly publish: number }>;

/** A server on loopback, as a relay sees it. */
export interface PlayedServer {
  /** With the prefix of the API. */
  readonly baseUrl: string;
  publish(publication: Publication): void;
  revoke(key: KeyName): void;
  /** How often the present ruleset was sent. */
  sent(): number;
  /** Ids of the batches that were received, in order. */
  readonly batchIds: readonly string[];
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

interface View {
  readonly json: string;
  readonly headers: Readonly<Record<string, string>>;
}

const KINDS: Readonly<Partial<Record<KeyName, string>>> = {
  relay: 'relay',
  server: 'server',
  'other server': 'server',
  client: 'client',
};

export const createPlayedServer = async (): Promise<PlayedServer> => {
  const [signer, stranger] = [createSigner(), createSigner()];
  const revoked = new Set<string>();
  const batchIds: string[] = [];
  const streams = new Set<ServerResponse>();
  let epoch = 'epoch-1';
  let views: Readonly<Record<'server' | 'client', View>> | undefined;
  let present: { readonly version: number; readonly fault: RulesetFault | undefined } | undefined;
  let sent = 0;

  const announce = (response: ServerResponse): void => {
    if (present === undefined || views === undefined) return;
    const data = {
      environment_id: 'env_1',
      version: present.version,
      etag: views.server.headers['etag'],
      changed_flags: [],
      refetch_within_ms: 0,
    };
    response.write(`id: ${present.version}\nevent: ruleset.updated\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const makeView = (version: number, flags: Publication['flags'], fault: RulesetFault | undefined): View => {
    const made = JSON.parse(toBody({ body: { version, flags } }).toString()).data;
    const ruleset = fault === 'environment' ? { ...made, environment_id: 'env_2' } : made;
    const signature = (fault === 'foreign' ? stranger : signer).sign(ruleset);
    const changed = fault === 'changed' ? { ...ruleset, flags: ruleset.flags.slice(1) } : ruleset;
    const headers = {
      'content-type': 'application/json',
      etag: `W/"${version}-${signature.slice(-12)}"`,
      'x-flagsvc-epoch': epoch,
      ...(fault !== 'unsigned' && { 'x-flagsvc-signature': signature }),
    };
    if (fault === 'page')
      return { json: '<html></html>', headers: { ...headers, 'content-type': 'text/html' } };
    return { json: JSON.stringify({ data: changed }), headers };
  };
  const describeKey = (key: string): object => {
    const name = (Object.keys(KEYS) as KeyName[]).find((each) => KEYS[each] === key);
    const kind = name && !revoked.has(key) ? KINDS[name] : undefined;
    if (kind === undefined) return { status: 'invalid' };
    const limits = { expires_at: null, allowed_origins: [], allowed_ips: [], rate_limits: {} };
    return { status: 'active', key_id: `key_${kind}_${key.slice(-4)}`, kind, ...limits };
  };
  const sendRuleset = (request: IncomingMessage, response: ServerResponse): void => {
    const view = views?.[request.url?.includes('view=client') ? 'client' : 'server'];
    if (view === undefined) return void response.writeHead(503).end();
    if (request.headers['if-none-match'] === view.headers['etag']) {
      return void response.writeHead(304, view.headers).end();
    }
    sent += 1;
    response.writeHead(200, { ...view.headers, 'content-length': Buffer.byteLength(view.json) });
    if (present?.fault !== 'cut') return void response.end(view.json);
    response.write(view.json.slice(0, view.json.length / 2), () => response.destroy());
  };
  const openStream = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 3000\n\n');
    streams.add(response);
    response.once('close', () => streams.delete(response));
    announce(response);
  };
  const sendJson = (response: ServerResponse, status: number, value: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    const path = request.url?.split('?', 1)[0];
    if (path === '/.well-known/flagsvc-ruleset-keys.json')
      return sendJson(response, 200, { keys: [signer.jwk] });
    const error = { code: 'INVALID_API_KEY', message: 'The key is not valid.', details: {} };
    if (request.headers['x-api-key'] !== KEYS.relay) return sendJson(response, 401, { error });
    if (path === '/api/v1/sdk/ruleset') return sendRuleset(request, response);
    if (path === '/api/v1/relay/stream') return openStream(response);
    if (path === '/api/v1/relay/keys') {
      const ids = { environment_id: 'env_1', project_id: 'prj_1', organization_id: 'org_1' };
      return sendJson(response, 200, { data: { ...ids, keys: body.keys.map(describeKey) } });
    }
    if (path === '/api/v1/sdk/events') {
      batchIds.push(body.batch_id);
      const receipt = { batch_id: body.batch_id, accepted: body.events.length, duplicates: 0, rejected: [] };
      return sendJson(response, 202, { data: receipt });
    }
    sendJson(response, 404, { error: { ...error, code: 'NOT_FOUND' } });
  };

  const server: Server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const down = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    publish({ publish: version, flags, pages = flags, epoch: next = epoch, fault }) {
      epoch = next;
      sent = 0;
      present = { version, fault };
      views = { server: makeView(version, flags, fault), client: makeView(version, pages, fault) };
      for (const stream of streams) announce(stream);
    },
    revoke(key) {
      revoked.add(KEYS[key]);
      for (const stream of streams) stream.write('event: keys.changed\ndata: {}\n\n');
    },
    sent: () => sent,
    batchIds,
    down,
    up: () => listen(port),
    close: down,
  };
};

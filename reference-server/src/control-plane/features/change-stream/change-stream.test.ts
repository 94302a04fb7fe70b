import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let origin: string;
afterEach(async () => {
  // When a request is aborted, `fetch` opens another connection. Node's server waits a minute for its first request.
  server.app.server.closeAllConnections();
  await server.close();
});

async function start(): Promise<void> {
  server = await startServer();
  origin = await server.app.listen({ port: 0, host: '127.0.0.1' });
}

/** Opens a stream and collects what it sends. */
async function follow(role: 'admin' | 'viewer', query = '', headers: Record<string, string> = {}) {
  const leave = new AbortController();
  const response = await fetch(`${origin}/api/v1/changes/stream${query}`, {
    headers: { authorization: `Bearer ${server.tokens[role]}`, accept: 'text/event-stream', ...headers },
    signal: leave.signal,
  });
  let text = '';
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  };
  const ended = read().catch(() => {});
  const entries = () =>
    [...text.matchAll(/^id: (.*)\nevent: change\ndata: (.*)$/gm)].map(
      ([, , data]) => JSON.parse(data!) as { id: string; action: string; actor: object },
    );
  return { response, ended, leave: () => leave.abort(), text: () => text, entries };
}

const createFlag = (key: string) =>
  server.call({
    method: 'POST',
    url: `/flags?environment_id=${server.environments.production}`,
    token: server.tokens.admin,
    body: booleanFlag(key),
  });

test('a change arrives with its author, once, also for viewers', async () => {
  await start();
  await createFlag('before');
  const viewer = await follow('viewer', `?project_id=${server.projectId}`);
  const other = await follow('viewer', '?project_id=prj_other');
  expect(viewer.response.headers.get('content-type')).toContain('text/event-stream');
  await expect.poll(viewer.text).toContain('event: hello');
  await createFlag('one');
  await createFlag('two');
  await expect.poll(() => viewer.entries().length).toBe(2);
  expect(viewer.entries()).toMatchObject([
    { action: 'flag.created', resource: { key: 'one' }, actor: { email: 'admin@example.com' }, ip: null },
    { action: 'flag.created', resource: { key: 'two' } },
  ]);
  expect(other.entries()).toEqual([]);
  viewer.leave();
  other.leave();
});

test('entries that belong to no project are sent to admins only', async () => {
  await start();
  const [viewer, admin] = [await follow('viewer'), await follow('admin')];
  await server.as('admin').raw({
    method: 'PATCH',
    url: `/organizations/${server.organizationId}`,
    body: { name: 'Renamed' },
  });
  await createFlag('after');
  await expect
    .poll(() => admin.entries().map(({ action }) => action))
    .toEqual(['organization.updated', 'flag.created']);
  await expect.poll(() => viewer.entries().map(({ action }) => action)).toEqual(['flag.created']);
  viewer.leave();
  admin.leave();
});

test('a stream resumes after the last entry, or says that everything has to be loaded again', async () => {
  await start();
  const first = await follow('admin');
  await createFlag('one');
  await expect.poll(() => first.entries().length).toBe(1);
  first.leave();
  await createFlag('two');
  const lastId = first.entries()[0]!.id;
  const second = await follow('admin', '', { 'last-event-id': lastId });
  await expect.poll(() => second.entries().at(-1)).toMatchObject({ resource: { key: 'two' } });
  expect(second.entries().map(({ id }) => id)).not.toContain(lastId);
  second.leave();
  for (const unknown of ['evt_0', 'x', '%00', 'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz']) {
    const lost = await follow('admin', '', { 'last-event-id': unknown });
    await expect.poll(lost.text).toContain('event: reload');
    lost.leave();
  }
  const atOnce = await follow('admin', '', { 'last-event-id': lastId, accept: '*/*' });
  await atOnce.ended;
  expect(atOnce.entries().at(-1)).toMatchObject({ resource: { key: 'two' } });
});

test('a stream ends with its session', async () => {
  await start();
  const [viewer, admin] = [await follow('viewer'), await follow('admin')];
  await server.as('viewer').auth.logout();
  await viewer.ended;
  expect(viewer.text()).toContain('event: goodbye\ndata: {"reason":"session_ended"}');
  await createFlag('after');
  await expect.poll(() => admin.entries().map(({ action }) => action)).toContain('flag.created');
  expect(viewer.text()).not.toContain('flag.created');
  admin.leave();
});

test('a person can have ten streams, and all end when the server stops', async () => {
  await start();
  const streams = [];
  for (let count = 0; count < 10; count++) streams.push(await follow('viewer'));
  const eleventh = await follow('viewer');
  expect(eleventh.response.status).toBe(429);
  const others = await follow('admin');
  expect(others.response.status).toBe(200);
  const closed = once(server.app.server, 'close');
  void server.app.close();
  for (const { ended, text } of streams) {
    await ended;
    expect(text()).toContain('"reason":"shutdown"');
  }
  await closed;
});

test('nobody follows changes without an account', async () => {
  await start();
  expect((await fetch(`${origin}/api/v1/changes/stream`)).status).toBe(401);
});

import { expect, test } from 'vitest';
import { createSession } from './session.ts';

const answer = (status: number, body: object) => new Response(JSON.stringify(body), { status });
const tokens = (token: string, person = 'ada') =>
  answer(200, { data: { access_token: token, expires_in: 600, user_id: person } });
const refused = () => answer(401, { error: { code: 'TOKEN_EXPIRED', message: '' } });

function start(answers: Record<string, (request: Request) => Response>) {
  const sent: string[] = [];
  const pauses: number[] = [];
  const people: (string | undefined)[] = [];
  const channel = new EventTarget() as unknown as BroadcastChannel;
  const session = createSession({
    monotonic: () => 0,
    channel: Object.assign(channel, { postMessage: () => undefined }),
    onPerson: (id) => void people.push(id),
    pause: async (ms) => void pauses.push(ms),
    fetch: async (input, init) => {
      const request = new Request(
        new URL(typeof input === 'string' ? input : input.url, 'http://page'),
        typeof input === 'string' ? init : input,
      );
      sent.push(new URL(request.url).pathname);
      return answers[new URL(request.url).pathname]!(request);
    },
  });
  const signOutElsewhere = () => channel.dispatchEvent(new MessageEvent('message', { data: 'left' }));
  return { session, sent, pauses, people, signOutElsewhere };
}

test('a page without a session is signed out', async () => {
  const { session } = start({ '/auth/refresh': refused });
  await session.start();
  expect(session.state()).toBe('out');
});

test('requests that are refused at once wait for one new token', async () => {
  let round = 0;
  const { session, sent } = start({
    '/auth/refresh': () => tokens(`token ${++round}`),
    '/api': ({ headers }) =>
      headers.get('authorization') === 'Bearer token 2' ? answer(200, {}) : refused(),
  });
  await session.start();
  const answers = await Promise.all([1, 2, 3].map(() => session.send(new Request('http://page/api'))));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(sent.filter((path) => path === '/auth/refresh')).toHaveLength(2);
});

test('a session that ends while a page is open is ended, not out', async () => {
  let isOpen = true;
  const { session } = start({ '/auth/refresh': () => (isOpen ? tokens('one') : refused()), '/api': refused });
  await session.start();
  isOpen = false;
  await session.send(new Request('http://page/api'));
  expect(session.state()).toBe('ended');
});

test('a page that opens while the server is away waits for it, and signs nobody out', async () => {
  let round = 0;
  const busy = () => answer(503, { error: { code: 'SERVICE_UNAVAILABLE', message: '' } });
  const { session, sent, pauses } = start({
    '/auth/refresh': () => {
      round++;
      if (round === 1) throw new TypeError('Failed to fetch');
      return round < 7 ? busy() : tokens('one');
    },
  });
  const states: string[] = [];
  session.subscribe(() => states.push(session.state()));
  await session.start();
  expect(states).toEqual(['unreachable', 'in']);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(new Set(sent)).toEqual(new Set(['/auth/refresh']));
});

test('a tab does not go on as another person who has signed in in another tab', async () => {
  let person = 'ada';
  const saved: (string | null)[] = [];
  const { session, people } = start({
    '/auth/refresh': () => tokens(`token of ${person}`, person),
    '/auth/login': () => tokens('token two of ada', 'ada'),
    '/api': ({ headers }) => {
      saved.push(headers.get('authorization'));
      return person === 'ada' ? answer(200, {}) : refused();
    },
  });
  await session.start();
  person = 'mallory';
  expect((await session.send(new Request('http://page/api'))).status).toBe(401);
  expect([session.state(), people]).toEqual(['ended', ['ada']]);
  expect(saved).toEqual(['Bearer token of ada']);
  await session.enter('/login', {});
  expect([session.state(), people]).toEqual(['in', ['ada']]);
});

test('a tab says whose it is when another person signs in', async () => {
  const { session, people } = start({
    '/auth/refresh': () => tokens('one'),
    '/auth/login': () => tokens('two', 'mallory'),
    '/auth/logout': () => new Response(null, { status: 204 }),
  });
  await session.start();
  await session.enter('/login', {});
  expect(people).toEqual(['ada', 'mallory']);
  await session.leave();
  expect([session.state(), people]).toEqual(['out', ['ada', 'mallory', undefined]]);
});

test('signing out ends the session of this tab, whatever the cookie is', async () => {
  const headers: (string | null)[] = [];
  const { session } = start({
    '/auth/refresh': () => tokens('one'),
    '/auth/logout': (request) => {
      headers.push(request.headers.get('authorization'));
      return new Response(null, { status: 204 });
    },
  });
  await session.start();
  await session.leave();
  expect(headers).toEqual(['Bearer one']);
});

test('a person whose session goes on is not signed out', async () => {
  const { session, people } = start({
    '/auth/refresh': () => tokens('one'),
    '/auth/logout': () => answer(429, { error: { code: 'RATE_LIMIT_EXCEEDED', message: '' } }),
  });
  await session.start();
  await expect(session.leave()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect([session.state(), people]).toEqual(['in', ['ada']]);
});

test('signing out in another tab wins over a token that is under way', async () => {
  let isFirst = true;
  const { session, people, signOutElsewhere } = start({
    '/auth/refresh': () => {
      if (!isFirst) signOutElsewhere();
      isFirst = false;
      return tokens('one');
    },
    '/api': refused,
  });
  await session.start();
  expect((await session.send(new Request('http://page/api'))).status).toBe(401);
  expect([session.state(), people]).toEqual(['out', ['ada', undefined]]);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { fakeAdapter } from '../../test/helpers.ts';
import { dialCommand, dialHttp, dialWebSocket } from './carriers.ts';
import { parseHello } from './messages.ts';
import { createSession, type Session } from './session.ts';

const HELLO = { name: 'x', version: '1', language: 'x', runtime: 'x', bucketing: [1], capabilities: [] };
const open: Session[] = [];
const start = (mode: string) => {
  const session = createSession(dialCommand(fakeAdapter(mode)), { timeoutMs: 1_500 });
  open.push(session);
  return session;
};
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
const load = { cmd: 'load', ruleset: { flags: [] } };
const evaluate = { cmd: 'evaluate', flag: 'f', context: {} };

test('sends a request and returns the answer', async () => {
  const session = start('good');
  expect(await session.hello()).toMatchObject({ name: 'fake' });
  expect(await session.ask(load)).toEqual({ kind: 'ok', value: {} });
});

test('restarts an adapter that has ended', async () => {
  const session = start('dies');
  await session.ask(load);
  expect(await session.ask(evaluate)).toMatchObject({ kind: 'ok' });
  expect(await session.ask(evaluate)).toEqual({
    kind: 'crash',
    message: 'the adapter ended with exit code 1',
  });
  expect(await session.ask(evaluate)).toMatchObject({ kind: 'ok' });
  expect(session.restarts()).toBe(1);
  expect(session.takeLog()).toContain('exit code 1');
});

test('reports a missing answer as a crash, with the time limit', async () => {
  const session = start('hangs');
  await session.ask(load);
  const answer = await session.ask(evaluate, 300);
  expect(answer).toEqual({ kind: 'crash', message: 'no answer to evaluate within 300 ms' });
  expect(await session.ask(load)).toMatchObject({ kind: 'ok' });
});

test.each([
  ['talks', /free text belongs on stderr.*loading the ruleset/s],
  ['two-kinds', /exactly one of ok, skipped, error/],
  ['quotes-seq', /repeat the seq of its request as the number \d, not as a text/],
])('explains what is wrong with an adapter that %s', async (mode, words) => {
  const answer = await start(mode).ask(load);
  expect(answer).toEqual({ kind: 'crash', message: expect.stringMatching(words) });
});

test('stops restarting an adapter that does not start', async () => {
  const session = start('does-not-start');
  for (let time = 0; time < 3; time++) expect(await session.ask(load)).toMatchObject({ kind: 'crash' });
  expect(await session.ask(load)).toEqual({ kind: 'crash', message: 'the adapter does not start' });
});

test('talks over HTTP', async () => {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { seq, cmd } = JSON.parse(text) as { seq: number; cmd: string };
    response.end(JSON.stringify({ seq, ok: cmd === 'hello' ? HELLO : { cmd } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const session = createSession(dialHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  expect(await session.ask(load)).toEqual({ kind: 'ok', value: { cmd: 'load' } });
  await session.close();
  server.close();
});

test('talks to an adapter that connects by WebSocket, also after it has reconnected', async () => {
  const answerOn = (socket: WebSocket) =>
    socket.on('message', (data) => {
      const { seq, cmd } = JSON.parse(String(data)) as { seq: number; cmd: string };
      socket.send(JSON.stringify({ seq, ok: cmd === 'hello' ? HELLO : { cmd } }));
    });
  const { address, dial, close } = await dialWebSocket(0);
  const session = createSession(dial);
  const first = new WebSocket(address);
  answerOn(first);
  expect(await session.ask(load)).toEqual({ kind: 'ok', value: { cmd: 'load' } });
  first.terminate();
  await new Promise((resolve) => first.once('close', resolve));
  await expect.poll(() => session.takeLog()).toContain('closed the connection');
  const answer = session.ask(load);
  answerOn(new WebSocket(address));
  expect(await answer).toEqual({ kind: 'ok', value: { cmd: 'load' } });
  await session.close();
  await close();
});

test('does not wait for an adapter that ended before it connected, and keeps its output', async () => {
  const { dial, log, abandon, close } = await dialWebSocket(0);
  const session = createSession(dial);
  log('no such browser\n');
  const answer = session.ask(load);
  abandon('the adapter ended with exit code 1');
  expect(await answer).toMatchObject({ kind: 'crash', message: expect.stringContaining('exit code 1') });
  expect(await session.ask(load)).toMatchObject({ kind: 'crash' });
  expect(session.takeLog()).toContain('no such browser');
  await close();
});

test('reports the answer of an address that is not an adapter', async () => {
  const server = createServer((_request, response) => response.writeHead(404).end('<h1>Not here</h1>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await createSession(dialHttp(url)).ask(load)).toMatchObject({
    message: expect.stringMatching(/answers 404 at .*Not here/),
  });
  server.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.once('close', resolve));
  expect(await createSession(dialHttp(url)).ask(load)).toMatchObject({
    message: expect.stringContaining(`does not answer at ${url}: ECONNREFUSED`),
  });
});

test.each([
  [{ name: '' }, 'needs a text "name"'],
  [{ capabilities: 'all' }, 'needs a list "capabilities"'],
  [
    { inapplicable: { polling: 'too hard' } },
    '"polling" cannot be inapplicable, only process, memory, workers, fork',
  ],
  [{ inapplicable: { process: '' } }, 'needs a reason for "process"'],
])('rejects %j in the answer to hello', (wrong, words) => {
  expect(() => parseHello({ ...HELLO, ...wrong })).toThrow(words);
  expect(parseHello({ ...HELLO, inapplicable: { process: 'a page has none' } })).toBeDefined();
});

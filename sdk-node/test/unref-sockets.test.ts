/** Simulates the messages of undici for HTTP/2 in Node 26, where all requests to a host share a connection. */
import { channel } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unrefSockets } from '../src/platform/unref-sockets.ts';

const KEY = 'sdk-dev-http2';
let socket: { isHeld: boolean; ref(): void; unref(): void };
let leave: () => void;
const join = () => {
  leave = unrefSockets(KEY)({} as never);
};
beforeEach(() => {
  socket = {
    isHeld: true,
    ref() {
      socket.isHeld = true;
    },
    unref() {
      socket.isHeld = false;
    },
  };
  join();
});
afterEach(() => leave());

/** Starts a request; returns the function that ends it. */
const send = (path: string, apiKey = KEY) => {
  const request = { path: `/api/v1${path}` };
  const headers = `:path: ${request.path}\r\nx-api-key: ${apiKey}\r\n`;
  channel('undici:client:sendHeaders').publish({ request, headers, socket });
  return (how: 'trailers' | 'error' = 'trailers') => channel(`undici:request:${how}`).publish({ request });
};

test('a request of the host keeps the connection of our stream alive until that request ends', () => {
  send('/sdk/stream');
  expect(socket.isHeld).toBe(false);
  const ends = [send('/evaluate'), send('/flags')];
  expect(socket.isHeld).toBe(true);
  ends[0]!();
  expect(socket.isHeld).toBe(true);
  ends[1]!('error');
  expect(socket.isHeld).toBe(false);
});

test('a poll does not release a connection that the host waits for', () => {
  const end = send('/evaluate');
  const endPoll = send('/sdk/ruleset');
  expect(socket.isHeld).toBe(true);
  endPoll();
  send('/sdk/events')('error');
  expect(socket.isHeld).toBe(true);
  send('/sdk/ruleset');
  end();
  expect(socket.isHeld).toBe(false);
});

test('requests of clients from another copy of this module keep no process alive', () => {
  send('/sdk/ruleset');
  send('/sdk/stream', 'sdk-dev-other');
  expect(socket.isHeld).toBe(false);
});

test('connections without our requests are not changed', () => {
  socket.isHeld = false;
  send('/evaluate')();
  expect(socket.isHeld).toBe(false);
  socket.isHeld = true;
  send('/evaluate')();
  expect(socket.isHeld).toBe(true);
});

test('requests whose end was missed, because the last client was closed, no longer count', () => {
  send('/evaluate');
  leave();
  join();
  send('/sdk/ruleset');
  expect(socket.isHeld).toBe(false);
});

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { waitForHealth } from './wait-for-health.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('waits for a slow server, and says meanwhile that it does not answer yet', async () => {
  let requests = 0;
  const origin = await serve((_, answer) =>
    answer.writeHead(++requests < 3 ? 503 : 200, { connection: 'close' }).end(),
  );
  const notes: string[] = [];
  const note = (line: string) => void notes.push(line);
  await waitForHealth(origin, () => true, { noticeMs: 1, limitMs: 60_000, note });
  expect(requests).toBe(3);
  expect(notes[0]).toMatch(/^The server does not answer yet, after \d+ s/);
});

test('gives up when the time is up, or when the server has ended', async () => {
  const origin = await serve((_, answer) => answer.writeHead(503, { connection: 'close' }).end());
  const patience = { noticeMs: 60_000, limitMs: 150, note: () => {} };
  await expect(waitForHealth(origin, () => true, patience)).rejects.toThrow(/within 0.15 s/);
  await expect(waitForHealth(origin, () => false, patience)).rejects.toThrow('has ended');
});

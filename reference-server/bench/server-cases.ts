import type { BenchServer } from './start-server.ts';

/** One kind of request, which both servers receive. */
export interface Case {
  readonly name: string;
  /** The bare server's processor time per request divided by ours must be at least this. */
  readonly goal: number;
  readonly status: number;
  readonly ours: readonly Buffer[];
  readonly bare: readonly Buffer[];
}

/** The bodies that the bare server sends, by case. They are answers of the reference server. */
export interface Constants {
  readonly ruleset: string;
  readonly one: string;
  readonly all: string;
}

export async function describeCases(ours: BenchServer): Promise<{ cases: Case[]; constants: Constants }> {
  const base = `http://127.0.0.1:${ours.port}/api/v1`;
  const headers = { 'x-api-key': ours.apiKey };
  const fetched = await fetch(`${base}/sdk/ruleset`, {
    headers: { ...headers, 'accept-encoding': 'identity' },
  });
  const etag = `if-none-match: ${fetched.headers.get('etag')}`;
  const ruleset = await fetched.text();
  const flags = (JSON.parse(ruleset) as { data: { flags: { key: string }[] } }).data.flags;

  const one = contexts().map((context, index) => JSON.stringify({ flags: [flags[index * 7]!.key], context }));
  const all = contexts().map((context) => JSON.stringify({ flags: ['*'], context }));
  const evaluate = async (body: string): Promise<string> => {
    const answer = await fetch(`${base}/evaluate`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    return answer.text();
  };
  const constants = { ruleset, one: await evaluate(one[0]!), all: await evaluate(all[0]!) };

  const get = (path: string, extra?: string): Buffer[] => [request('GET', path, ours.apiKey, extra)];
  const post = (path: string, bodies: readonly string[]): Buffer[] =>
    bodies.map((body) => request('POST', path, ours.apiKey, undefined, body));
  const cases: Case[] = [
    {
      name: `GET /sdk/ruleset, 304`,
      goal: 0.7,
      status: 304,
      ours: get('/api/v1/sdk/ruleset', etag),
      bare: get('/not-modified', etag),
    },
    {
      name: `GET /sdk/ruleset, ${flags.length} flags, ${(ruleset.length / 1000).toFixed(0)} kB`,
      goal: 0.8,
      status: 200,
      ours: get('/api/v1/sdk/ruleset'),
      bare: get('/ruleset'),
    },
    {
      name: 'POST /evaluate, one flag',
      goal: 0.6,
      status: 200,
      ours: post('/api/v1/evaluate', one),
      bare: post('/one', one),
    },
    {
      name: `POST /evaluate, all flags, ${(constants.all.length / 1000).toFixed(0)} kB`,
      goal: 0.3,
      status: 200,
      ours: post('/api/v1/evaluate', all),
      bare: post('/all', all),
    },
  ];
  return { cases, constants };
}

/** A hundred users with various plans, countries, versions and roles. */
function contexts() {
  return Array.from({ length: 100 }, (_, index) => ({
    user_key: `user-${10_000 + index * 37}`,
    attributes: {
      plan: ['free', 'pro', 'team'][index % 3],
      country: ['DE', 'FR', 'US', 'JP'][index % 4],
      app_version: `2.${index % 9}.${index % 5}`,
      role: index % 10 === 0 ? 'staff' : 'member',
    },
  }));
}

function request(method: string, path: string, apiKey: string, extra?: string, body?: string): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `x-api-key: ${apiKey}`,
    'accept: application/json',
  ];
  if (extra !== undefined) lines.push(extra);
  if (body !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

import { expect, test } from 'vitest';
import { Refusal } from '../command.ts';
import { createS3Client, type S3Request } from './s3-client.ts';

/** The credentials and the time of the examples in AWS's documentation of Signature Version 4 for S3. */
const PUBLISHED = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const AT = Date.parse('2013-05-24T00:00:00.000Z');

interface Sent {
  readonly url: string;
  readonly headers: Headers;
}

/** Sends a request through a transport that gives these answers, one after the other. */
async function send(
  request: S3Request,
  { env = {}, answers = [200] }: { env?: Record<string, string>; answers?: (number | Error)[] } = {},
) {
  const sent: Sent[] = [];
  const client = createS3Client({
    bucket: 'examplebucket',
    env: { ...PUBLISHED, ...env },
    now: () => AT,
    retryMs: 0,
    fetch: async (url, init) => {
      sent.push({ url: String(url), headers: new Headers(init?.headers) });
      const answer = answers[Math.min(sent.length, answers.length) - 1]!;
      if (answer instanceof Error) throw answer;
      return new Response(
        answer === 204 ? null : '<Error><Code>AccessDenied</Code><Message>No</Message></Error>',
        {
          status: answer,
        },
      );
    },
  });
  const outcome = await client.send(request).catch((error: Error) => error);
  return { sent, outcome };
}

test.each<[string, S3Request, string]>([
  [
    'GET Bucket Lifecycle',
    { method: 'GET', key: '', query: { lifecycle: '' } },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET Bucket (List Objects)',
    { method: 'GET', key: '', query: { 'max-keys': '2', prefix: 'J' } },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
  [
    'PUT Object',
    {
      method: 'PUT',
      key: 'test$file.text',
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: new Blob(['Welcome to Amazon S3.']),
      sha256: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
])('signs the example "%s" as AWS has published it', async (_, request, signature) => {
  const { sent } = await send(request);
  expect(sent[0]!.url).toMatch(/^https:\/\/examplebucket\.s3\.amazonaws\.com\//);
  expect(sent[0]!.headers.get('authorization')).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20130524\/us-east-1\/s3\/aws4_request, /,
  );
  expect(sent[0]!.headers.get('authorization')).toMatch(new RegExp(`Signature=${signature}$`));
});

test('puts the bucket into the host for AWS, and into the path for other storages', async () => {
  const request = { method: 'GET', key: 'a b/c+d.db' } as const;
  const { sent } = await send(request, { env: { AWS_REGION: 'eu-central-1' } });
  expect(sent[0]!.url).toBe('https://examplebucket.s3.eu-central-1.amazonaws.com/a%20b/c%2Bd.db');
  const custom = await send(request, { env: { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000/' } });
  expect(custom.sent[0]!.url).toBe('http://127.0.0.1:9000/examplebucket/a%20b/c%2Bd.db');
});

test('sends the token of temporary credentials', async () => {
  const { sent } = await send({ method: 'GET', key: 'a' }, { env: { AWS_SESSION_TOKEN: 'session' } });
  expect(sent[0]!.headers.get('x-amz-security-token')).toBe('session');
});

const GET: S3Request = { method: 'GET', key: 'a.db' };

test('tries again after transient failures only, and gives up after four attempts', async () => {
  const down = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  const { sent, outcome } = await send(GET, { answers: [503, down, 429, 200] });
  expect([sent.length, (outcome as Response).status]).toEqual([4, 200]);
  expect((await send(GET, { answers: [404] })).sent).toHaveLength(1);
  const lost = await send(GET, { answers: [down] });
  expect(lost.sent).toHaveLength(4);
  expect(lost.outcome).toBeInstanceOf(Refusal);
  expect((lost.outcome as Error).message).toContain('ECONNREFUSED');
});

test('reports the answer of the storage, without the secret', async () => {
  const { sent, outcome } = await send(GET, { answers: [403] });
  expect(sent).toHaveLength(1);
  const { message } = outcome as Error;
  expect(message).toContain('s3://examplebucket/a.db: the storage answers 403 (AccessDenied: No)');
  expect(message).not.toContain(PUBLISHED.AWS_SECRET_ACCESS_KEY);
});

test.each([
  ['AWS_ACCESS_KEY_ID', ''],
  ['AWS_SECRET_ACCESS_KEY', ''],
  ['AWS_ENDPOINT_URL_S3', 'storage.example.com'],
  ['AWS_ENDPOINT_URL_S3', 'ftp://storage.example.com'],
])('refuses %s=%s', (variable, value) => {
  const env = { ...PUBLISHED, [variable]: value };
  expect(() => createS3Client({ bucket: 'examplebucket', env, now: () => AT })).toThrow(variable);
});

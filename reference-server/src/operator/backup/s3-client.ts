import { setTimeout } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Refusal } from '../command.ts';

/** Signs requests to S3 or a compatible storage, and sends them. */
export interface S3Client {
  /** Sends a request for a key of the bucket (empty: the bucket itself). Throws Refusal on any failure but 404 and 412. */
  send(request: S3Request): Promise<Response>;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob;
  /** SHA-256 of the body in hex, which the storage compares with what it receives. Default: no body. */
  readonly sha256?: string;
}

export interface S3Options {
  readonly bucket: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The pause before the second attempt; doubles after each attempt. */
  readonly retryMs?: number;
}

/** Its endpoint has no region in its name. */
const DEFAULT_REGION = 'us-east-1';
const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const ATTEMPTS = 4;
const RETRY_MS = 500;
/** A request may take this long, plus the time for its body. */
const TIMEOUT_MS = 60_000;
/** The slowest transfer that is not cut off. */
const BYTES_PER_MS_MIN = 50;

/** Answers that are worth another attempt. */
const isTransient = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/** Reads credentials, region and endpoint from the usual variables `AWS_*`. Throws Refusal if one is missing. */
export function createS3Client({
  bucket,
  env,
  now,
  fetch = globalThis.fetch,
  retryMs = RETRY_MS,
}: S3Options): S3Client {
  const credentials = {
    accessKeyId: required(env, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: required(env, 'AWS_SECRET_ACCESS_KEY'),
    ...(env['AWS_SESSION_TOKEN'] && { sessionToken: env['AWS_SESSION_TOKEN'] }),
  };
  const endpoint = env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || undefined;
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || DEFAULT_REGION;
  const base = baseUrlOf(bucket, region, endpoint);

  const attempt = async ({ method, key, query = {}, headers = {}, body, sha256 }: S3Request) => {
    const signer = new AwsV4Signer({
      method,
      url: `${base}/${key.split('/').map(encode).join('/')}${queryOf(query)}`,
      headers: { ...headers, 'x-amz-content-sha256': sha256 ?? SHA256_OF_NOTHING },
      ...credentials,
      service: 's3',
      region,
      datetime: new Date(now()).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
    });
    const signed = await signer.sign();
    const bytes = body?.size ?? 0;
    return fetch(signed.url, {
      method,
      headers: signed.headers,
      ...(body && { body }),
      // A redirect would be followed with a signature for another host.
      redirect: 'error',
      ...(method !== 'GET' && {
        signal: AbortSignal.timeout(TIMEOUT_MS + Math.ceil(bytes / BYTES_PER_MS_MIN)),
      }),
    });
  };

  return {
    async send(request) {
      const place = `s3://${bucket}/${request.key}`;
      for (let left = ATTEMPTS - 1, pause = retryMs; ; left -= 1, pause *= 2) {
        const answer = await attempt(request).catch((error: Error) => error);
        const isFinal = answer instanceof Response && !isTransient(answer.status);
        if (isFinal || left === 0 || isUnsupported(answer)) return requireUsable(answer, place);
        await setTimeout(pause);
      }
    },
  };
}

/** A storage that does not know a header answers 501, which another attempt does not change. */
function isUnsupported(answer: Response | Error): boolean {
  return answer instanceof Response && answer.status === 501;
}

async function requireUsable(answer: Response | Error, place: string): Promise<Response> {
  if (answer instanceof Error) {
    const { cause, message } = answer;
    const reason =
      cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : message;
    throw new Refusal(`${place}: the storage does not answer: ${reason}. See AWS_ENDPOINT_URL_S3.`, {
      cause: answer,
    });
  }
  if (answer.ok || [404, 412, 501].includes(answer.status)) return answer;
  const text = await answer.text().catch(() => '');
  const [code, message] = [/<Code>([^<]*)/, /<Message>([^<]*)/].map((pattern) => pattern.exec(text)?.[1]);
  const reason = [code, message].filter(Boolean).join(': ');
  throw new Refusal(
    `${place}: the storage answers ${answer.status}${reason === '' ? '' : ` (${reason})`}. Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and the permissions of the key.`,
  );
}

function required(env: S3Options['env'], name: string): string {
  const value = env[name];
  if (value) return value;
  throw new Refusal(`${name} is required for s3:// URLs. Set it to the credentials of the storage.`);
}

/** AWS wants the bucket in the host name; other storages expect it in the path. */
function baseUrlOf(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint === undefined) {
    return `https://${bucket}.s3.${region === DEFAULT_REGION ? '' : `${region}.`}amazonaws.com`;
  }
  if (!URL.canParse(endpoint) || !/^https?:/.test(endpoint)) {
    throw new Refusal('AWS_ENDPOINT_URL_S3 must be a URL such as https://storage.example.com.');
  }
  return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
}

function queryOf(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Percent-encodes as RFC 3986 does, which the signature requires. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

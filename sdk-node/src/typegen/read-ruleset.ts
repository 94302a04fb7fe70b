import { readFile } from 'node:fs/promises';
import { parseRuleset, type Ruleset } from '@flagsvc/sdk-core';

/** An error that the user can fix; its message says how. */
export class TypegenError extends Error {}

const TIMEOUT_MS = 10_000;

/** True for the address of an API; everything else is a file. */
export const isAddress = (source: string): boolean => /^https?:/.test(source);

const readSource = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new TypegenError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
};

const fetchSource = async (baseUrl: string, apiKey: string | undefined): Promise<string> => {
  if (!apiKey)
    throw new TypegenError('a server needs an SDK key: set FLAGSVC_API_KEY, or pass --api-key KEY');
  const address = `${baseUrl.replace(/\/+$/, '')}/sdk/ruleset`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let reply: Response;
  try {
    reply = await fetch(address, { headers: { 'x-api-key': apiKey }, redirect: 'manual', signal });
    if (reply.ok) return await reply.text();
  } catch (error) {
    const { name, cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    const reason =
      name === 'TimeoutError'
        ? `no answer in ${TIMEOUT_MS / 1000} s`
        : (cause?.code ?? cause?.message ?? message);
    throw new TypegenError(`${address} cannot be reached (${reason})`);
  }
  const remedy =
    reply.status === 401 || reply.status === 403
      ? 'the key is refused; use an SDK key of the environment'
      : reply.status === 404
        ? "there is no API here; pass the API's address with its prefix, such as https://flags.example.com/api/v1"
        : 'try again later';
  throw new TypegenError(`${address} answered ${reply.status}: ${remedy}`);
};

/**
 * Reads a ruleset from a file or a server, plain or in the envelope of `GET /sdk/ruleset`. Warns about each broken flag
 * and leaves it out. Throws a TypegenError if the source cannot be read or is not a ruleset.
 */
export const readRuleset = async (
  source: string,
  apiKey: string | undefined,
  warn: (line: string) => void,
): Promise<Ruleset> => {
  const text = await (isAddress(source) ? fetchSource(source, apiKey) : readSource(source));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new TypegenError(`${source} is not JSON`);
  }
  const { data = json } = Object(json) as { data?: unknown };
  const { ruleset, faults } = parseRuleset(data);
  if (!ruleset) throw new TypegenError(`${source} is not a ruleset: ${faults[0]?.path} ${faults[0]?.code}`);
  for (const { path, code } of faults) warn(`left out: ${path} ${code}`);
  return ruleset;
};

import { unwatchFile, watchFile } from 'node:fs';
import type { Ruleset } from '@flagsvc/sdk-core';
import { createClientOn } from '../client/node-client.ts';
import { hostClock } from '../platform/host-clock.ts';
import { isAddress, readRuleset, TypegenError } from './read-ruleset.ts';

/** Where flags come from, and who wants to know. */
export interface FollowOptions {
  /** A file, or the address of an API. */
  readonly source: string;
  readonly apiKey: string | undefined;
  /** Ends the work. */
  readonly signal: AbortSignal;
  /** Called with the ruleset at the start and after each change. */
  readonly onRuleset: (ruleset: Ruleset) => void;
  /** Called with each fault, in words. The work goes on. */
  readonly onFault: (line: string) => void;
}

/** How often a file is looked at. Not `watch`, because editors replace files and networks do not notify. */
const FILE_INTERVAL_MS = 300;

const followFile = async ({ source, signal, onRuleset, onFault }: FollowOptions): Promise<void> => {
  const read = async () => {
    try {
      onRuleset(await readRuleset(source, undefined, onFault));
    } catch (error) {
      onFault((error as Error).message);
    }
  };
  const listener = () => void read();
  watchFile(source, { interval: FILE_INTERVAL_MS }, listener);
  signal.addEventListener('abort', () => unwatchFile(source, listener));
  await read();
};

const followServer = ({ source, apiKey, signal, onRuleset, onFault }: FollowOptions): void => {
  if (!apiKey) throw new TypegenError('a server needs an SDK key: set FLAGSVC_API_KEY');
  const client = createClientOn(hostClock, {
    apiKey,
    baseUrl: source,
    streaming: true,
    events: false,
    signal,
    logger: (_, text) => onFault(text),
  });
  const publish = () => {
    const ruleset = client.ruleset();
    if (ruleset) onRuleset(ruleset);
  };
  client.on('change', publish);
  // The first ruleset of an environment without flags changes no flag.
  client.on('status', publish);
};

/**
 * Follows the flags of a file or of an environment until the signal is aborted. An environment is followed by stream,
 * or by polling while there is no stream. Throws a TypegenError if a server has no key; other faults are reported.
 */
export const followRuleset = async (options: FollowOptions): Promise<void> => {
  // A client does not keep its process alive.
  const hold = setInterval(() => {}, 2 ** 30);
  options.signal.addEventListener('abort', () => clearInterval(hold));
  try {
    if (isAddress(options.source)) followServer(options);
    else await followFile(options);
  } catch (error) {
    clearInterval(hold);
    throw error;
  }
};

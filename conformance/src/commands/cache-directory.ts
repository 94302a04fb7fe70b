import { homedir } from 'node:os';
import { join } from 'node:path';

/** The kit's folder in the user's cache directory. */
export const cacheDirectory = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'flagsvc-conformance');

import chromium from '@sparticuz/chromium';

/**
 * Unpacks the browser once, before the first tests: two files that start one on a new machine would both write it, and
 * the system starts no program that is being written.
 */
export async function setup(): Promise<void> {
  if (process.platform === 'linux') await chromium.executablePath();
}

// The script that the test page loads.
import { createBrowserClient, localMode, remoteMode } from '@flagsvc/sdk-browser';
import { streaming } from '@flagsvc/sdk-browser/streaming';

let client;

export function start(isLocal, options) {
  client = createBrowserClient({ ...options, mode: isLocal ? localMode() : remoteMode(), streaming });
}

export function status() {
  return client.status();
}

export function read() {
  const { reason, value } = client.flagDetails('flag-0', false);
  return [client.status(), reason, value];
}

export function close() {
  return client.close();
}

/**
 * The quickstart: a Node service that evaluates flags in its own process and follows changes while it runs. It needs
 * FLAGSVC_URL and FLAGSVC_API_KEY. With FLAGSVC_ACCESS_TOKEN it also toggles a flag, to show that the client follows.
 */
import { createNodeClient } from '@flagsvc/sdk-node';
import { printTable } from './table.ts';
import { toggle } from './toggle.ts';
import { users } from './users.ts';

const { FLAGSVC_URL: baseUrl, FLAGSVC_API_KEY: apiKey, FLAGSVC_ACCESS_TOKEN: accessToken } = process.env;
if (!baseUrl || !apiKey) {
  console.error('The quickstart needs FLAGSVC_URL and FLAGSVC_API_KEY; `npm start` prints both.');
  process.exit(1);
}

const WATCHED = 'dark-mode';

// A service creates one client when it starts, and uses it for every request.
const client = createNodeClient({ apiKey, baseUrl, app: 'quickstart', streaming: true });
await client.ready({ timeoutMs: 5_000 });

printTable(
  users.flatMap((context) =>
    Object.entries(client.evaluateAll(context)).map(([flag, { value, reason }]) => ({
      flag,
      user: context.user_key,
      value: JSON.stringify(value),
      reason,
    })),
  ),
);

const [someone] = users;
const before = client.flag(WATCHED, someone!, false);
console.log(`\n${WATCHED} is ${before} for ${someone!.user_key}.`);
if (accessToken) {
  await toggleAndWait(accessToken);
  // A second toggle restores the flag, because others may be using it.
  await toggleAndWait(accessToken);
} else {
  console.log(
    `Without an access token, this run changes nothing. Log in and toggle ${WATCHED} to see the SDK follow.`,
  );
}
await client.close();

/** Toggles the flag through the API, and waits until the running client has received the change. */
async function toggleAndWait(token: string): Promise<void> {
  const changed = new Promise((resolve) => client.on('change', resolve));
  // The client does not keep the process alive. In a service, the HTTP server does; here, the timer does.
  const timer = setTimeout(() => console.error('The change did not arrive within 30 s.'), 30_000);
  const started = Date.now();
  const enabled = await toggle({ baseUrl: baseUrl!, apiKey: apiKey!, accessToken: token }, WATCHED);
  console.log(`Switched it ${enabled ? 'on' : 'off'} through the API …`);
  await changed;
  clearTimeout(timer);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(
    `… and ${seconds} s later the running SDK says ${client.flag(WATCHED, someone!, false)}, without a restart.`,
  );
}

import { serveApp } from '../../../examples/react-app/serve.mjs';
import type { Settings } from '../settings.ts';
import { renewAccessToken } from './demo.ts';
import type { DemoState } from './demo-database.ts';

/** An access token is reused for this time, because the server limits how often a session is refreshed. */
const TOKEN_REUSE_MS = 600_000;

/** Serves the React example from its built folder and returns its address. Undefined when its port was taken meanwhile, and when the data of an older start has no key. */
export async function serveExamplePage(
  settings: Settings,
  demo: DemoState,
  { remedy, folder }: { readonly remedy: string; readonly folder: string },
): Promise<string | undefined> {
  const { clientKey } = demo;
  if (clientKey === undefined) return undefined;
  let cached: { readonly token: string; readonly until: number } | undefined;
  const accessToken = async () => {
    if (cached && Date.now() < cached.until) return cached.token;
    const token = await renewAccessToken(settings, demo);
    if (token === undefined) throw new Error(`The session of the first start has ended; ${remedy}.`);
    cached = { token, until: Date.now() + TOKEN_REUSE_MS };
    return token;
  };
  const { baseUrl, pagePort } = settings;
  try {
    const { address } = await serveApp({ apiKey: clientKey, baseUrl, accessToken, port: pagePort, folder });
    return address;
  } catch (error) {
    console.error(
      `The example page is not served: ${(error as Error).message}. Start again to use another port.`,
    );
    return undefined;
  }
}

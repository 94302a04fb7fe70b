import { setTimeout } from 'node:timers/promises';
import { type Api, createApi } from '../../../reference-server/test/api.ts';
import type { Transport } from '../../../reference-server/test/api-call.ts';
import { createHttpTransport } from '../../../reference-server/test/transports.ts';
import { PASSWORD, type PersonKey, people } from '../shop/people.ts';
import { SHOP_URL, setup, WAREHOUSE_PORT } from './global-setup.ts';
import { copyShop } from './shop-database.ts';
import { startServer } from './start-server.ts';

/** The real server with the shop. Changes stay in its own copy of the database. */
export interface Shop {
  readonly origin: string;
  /** Its own copy of the database, for what no call of the API can arrange. */
  readonly databaseUrl: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** Ids by key. */
  readonly environments: Readonly<Record<'development' | 'staging' | 'production', string>>;
  /** The address of a page of the project, `href('changes')`, or of none, `href('/settings/profile')`. */
  href(path: string): string;
  /** A client of the API with a new session of this person, to arrange and to check what pages do. */
  api(person: PersonKey): Promise<Api>;
  close(): Promise<void>;
}

export interface ShopOptions {
  /** Default: any free port. */
  readonly dashboardPort?: number;
  /** Further variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server with the shop, filled by the global setup, or now if there was none. */
export async function startShop({ dashboardPort, env }: ShopOptions = {}): Promise<Shop> {
  const finish = process.env[SHOP_URL] === undefined ? await setup() : undefined;
  const database = await copyShop(process.env[SHOP_URL]!);
  const port = Number(process.env[WAREHOUSE_PORT]);
  const server = await startServer({
    databaseUrl: database.url,
    webhookPorts: [port],
    ...(dashboardPort !== undefined && { dashboardPort }),
    ...(env !== undefined && { env }),
  });
  const { origin } = server;
  const transport = patient(createHttpTransport(origin));
  const clients = new Map<PersonKey, Promise<Api>>();
  const logIn = async (person: PersonKey): Promise<Api> => {
    const body = { email: people[person].email, password: PASSWORD };
    return createApi({ transport, token: await logInAt(origin, body) });
  };
  const api = (person: PersonKey): Promise<Api> => {
    const known = clients.get(person) ?? logIn(person);
    clients.set(person, known);
    return known;
  };
  const admin = await api('admin');
  const [project] = await admin.projects.list();
  const { id: projectId, key, organization_id: organizationId } = project!;
  const environments = await admin.environments.listOf(projectId);
  return {
    origin,
    databaseUrl: database.url,
    organizationId,
    projectId,
    environments: Object.fromEntries(environments.map((one) => [one.key, one.id])) as Shop['environments'],
    href: (path) =>
      path.startsWith('/')
        ? `${origin}${path}`
        : `${origin}/o/${organizationId}/p/${key}${path === '' ? '' : `/${path}`}`,
    api,
    async close() {
      await server.close();
      await database.remove();
      await finish?.();
    },
  };
}

/** On a busy machine, the server can ask for patience. It has not begun such a call. */
function patient(send: Transport): Transport {
  return async (call) => {
    for (let tries = 20; ; tries--) {
      const answer = await send(call);
      if (tries === 0 || answer.body?.error?.details?.reason !== 'overloaded') return answer;
      await setTimeout(500);
    }
  };
}

/** Headers that the dashboard's own pages send with their session calls. */
export const pageHeaders = (origin: string) => ({ origin, 'x-requested-with': 'flagsvc-dashboard' });

async function logInAt(origin: string, body: object): Promise<string> {
  const response = await fetch(`${origin}/auth/login`, {
    method: 'POST',
    headers: { ...pageHeaders(origin), 'content-type': 'application/json', 'user-agent': 'flagsvc-tests' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { data?: { access_token: string } };
  if (answer.data === undefined) throw new Error(`The login was refused: ${JSON.stringify(answer)}`);
  return answer.data.access_token;
}

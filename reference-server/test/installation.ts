import { createApi } from './api.ts';
import { booleanFlag, PASSWORD } from './server.ts';
import { createHttpTransport } from './transports.ts';

/** Credentials and resources that `install` created on a new server. They stay valid when the process restarts. */
export interface Installation {
  readonly accessToken: string;
  readonly apiKey: string;
  /** Production, which the API key and the flags belong to. */
  readonly environmentId: string;
  readonly flagIds: readonly string[];
}

/** A request without an answer, because the server was killed. Whether it took effect is unknown. */
export class NoAnswer extends Error {}

/** Registers an admin, and creates an API key and this many flags in production. */
export async function install(url: string, flags: number): Promise<Installation> {
  const transport = createHttpTransport(url);
  const { auth } = createApi({ transport });
  const account = { email: 'crash@example.com', password: PASSWORD };
  await auth.register(account);
  const { access_token: accessToken } = await auth.login(account);
  const api = createApi({ transport, token: accessToken });
  const [project] = await api.projects.list();
  const environments = await api.environments.listOf(project!.id);
  const environmentId = environments.find(({ key }) => key === 'production')!.id;
  const { key } = await api.apiKeys.create(environmentId, { name: 'crash' });
  const flagIds: string[] = [];
  for (let index = 0; index < flags; index++) {
    const flag = await api.in(environmentId).flags.create(booleanFlag(`flag-${index}`));
    flagIds.push(flag.id);
  }
  return { accessToken, apiKey: key!, environmentId, flagIds };
}

/** Clients of an installation. A call rejects with `NoAnswer` if the connection ends before the whole answer arrives. */
export function connect(url: string, { accessToken, apiKey, environmentId }: Installation) {
  const send = createHttpTransport(url);
  const transport: typeof send = (call) =>
    send(call).catch((error) => {
      throw error instanceof TypeError ? new NoAnswer('no answer', { cause: error }) : error;
    });
  return {
    admin: createApi({ transport, token: accessToken, environmentId }),
    sdk: createApi({ transport, apiKey }).dataPlane,
  };
}

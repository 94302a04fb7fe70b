import { createHash } from 'node:crypto';
import { link, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The outcome of an election: this client leads, or it is connected to the leader. */
export type Election = { readonly lead: Lead } | { readonly leader: Socket };

/** Ownership of the socket that followers connect to. */
export interface Lead {
  /** False once clients that join would find another leader or no leader. */
  isHeld(): Promise<boolean>;
  end(): Promise<void>;
}

/** The folder of the sockets. Only this user can enter it, so its sockets can be trusted. */
const privateFolder = async (): Promise<string> => {
  const uid = process.getuid?.() ?? 'none';
  const folder = join(tmpdir(), `flagsvc-${uid}`);
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const { uid: owner, mode } = await lstat(folder);
  // This also refuses a symbolic link, whose mode is open to all.
  if (owner !== uid || (mode & 0o077) !== 0) throw { code: `${folder} is not private` };
  return folder;
};

const connectTo = (path: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path).unref();
    socket.on('connect', () => resolve(socket)).on('error', () => resolve(undefined));
  });

const listen = (path: string, onFollower: (socket: Socket) => void): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(onFollower).unref().on('error', reject);
    // Without `exclusive`, a cluster worker would listen through its primary process.
    server.listen({ path, exclusive: true }, () => resolve(server));
  });

/**
 * Elects a leader among the clients with the same identity, in all threads and processes of one user on one machine
 * (decisions/0015). The leader listens on a socket and gives it the next numbered name, which only one client can
 * create. If the leader is killed, the system closes its connections but may leave the name behind, so the next leader
 * uses the next number. If sockets cannot be used, rejects with an object whose `code` says why.
 */
export const electLeader = async (
  identity: readonly string[],
  onFollower: (socket: Socket) => void,
): Promise<Election> => {
  const name = createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, 32);
  const folder = await privateFolder();
  const newestNumber = async () => {
    const names = (await readdir(folder)).filter((file) => file.startsWith(`${name}.`));
    return Math.max(0, ...names.map((file) => Number(file.slice(name.length + 1))));
  };
  const pathOf = (number: number) => join(folder, `${name}.${number}`);
  for (;;) {
    const last = await newestNumber();
    const leader = last > 0 ? await connectTo(pathOf(last)) : undefined;
    if (leader) return { leader };
    const path = pathOf(last + 1);
    // The socket gets its final name only once it listens, so that clients that find the name can connect.
    const draft = join(folder, `${name}-${crypto.randomUUID().slice(0, 8)}`);
    const server = await listen(draft, onFollower);
    try {
      await link(draft, path);
    } catch (error) {
      server.close();
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    const { ino } = await lstat(path);
    await Promise.all([draft, pathOf(last)].map((old) => rm(old, { force: true })));
    const isHeld = async () => {
      try {
        // `readdir` can miss a name while the folder changes, so another client may have become leader as well.
        return (await newestNumber()) <= last + 1 && (await lstat(path)).ino === ino;
      } catch {
        return false;
      }
    };
    const end = async () => {
      server.close();
      if (await isHeld()) await rm(path, { force: true });
    };
    return { lead: { isHeld, end } };
  }
};

import { createHash } from 'node:crypto';
import { link, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A place at a meeting: the host hears of those who come, a guest has a connection to the host. */
export type Place = Host | { readonly socket: Socket };

export interface Host {
  /** False when newcomers find somebody else, or nobody. */
  holds(): Promise<boolean>;
  end(): Promise<void>;
}

/** A folder of this user alone: the system lets nobody else in, so that what comes from there needs no other proof. */
const privateFolder = async (): Promise<string> => {
  const uid = process.getuid?.() ?? 'none';
  const folder = join(tmpdir(), `flagsvc-${uid}`);
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const { uid: owner, mode } = await lstat(folder);
  // A symbolic link fails by its mode.
  if (owner !== uid || (mode & 0o077) !== 0) throw { code: `${folder} is not private` };
  return folder;
};

const call = (path: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path).unref();
    socket.on('connect', () => resolve(socket)).on('error', () => resolve(undefined));
  });

const listen = (path: string, onGuest: (socket: Socket) => void): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(onGuest).unref().on('error', reject);
    // Of this process alone, where a cluster would hand all sockets to its primary process.
    server.listen({ path, exclusive: true }, () => resolve(server));
  });

/**
 * Brings together those who give the same identity, in threads and processes of one user on one machine (decisions/0015).
 * One of them hosts, at a socket whose name the file system gives to one only; the system ends the connections of a
 * host that goes away, however it goes. It may leave its name behind, so the next host takes the next number. Rejects
 * with a code where all this cannot be done.
 */
export const meet = async (
  identity: readonly string[],
  onGuest: (socket: Socket) => void,
): Promise<Place> => {
  const name = createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, 32);
  const folder = await privateFolder();
  const newest = async () => {
    const names = (await readdir(folder)).filter((file) => file.startsWith(`${name}.`));
    return Math.max(0, ...names.map((file) => Number(file.slice(name.length + 1))));
  };
  const pathOf = (number: number) => join(folder, `${name}.${number}`);
  for (;;) {
    const last = await newest();
    const socket = last > 0 ? await call(pathOf(last)) : undefined;
    if (socket) return { socket };
    const path = pathOf(last + 1);
    // Who finds the name finds somebody who listens.
    const aside = join(folder, `${name}-${crypto.randomUUID().slice(0, 8)}`);
    const server = await listen(aside, onGuest);
    try {
      await link(aside, path);
    } catch (error) {
      server.close();
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    const { ino } = await lstat(path);
    await Promise.all([aside, pathOf(last)].map((old) => rm(old, { force: true })));
    const holds = async () => {
      try {
        // A folder that changes while it is read can hide a name, and then two may host.
        return (await newest()) === last + 1 && (await lstat(path)).ino === ino;
      } catch {
        return false;
      }
    };
    return {
      holds,
      async end() {
        server.close();
        if (await holds()) await rm(path, { force: true });
      },
    };
  }
};

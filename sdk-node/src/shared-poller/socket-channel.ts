import type { Socket } from 'node:net';
import {
  type Clock,
  type JoinChannel,
  type PeerMembership,
  type PeerMessage,
  type Report,
  toJson,
} from '@flagsvc/sdk-core/client';
import type { Lead } from './leader-socket.ts';

/** The configuration of a channel. */
export interface SocketChannelConfig {
  /** Clients with the same identity share the channel. */
  readonly identity: readonly string[];
  readonly clock: Clock;
  /** Maximum number of bytes buffered for a peer that does not read. */
  readonly maxBodyBytes: number;
  readonly report: Report;
}

/** Wait before the next attempt, after the leader closed the connection without a message. */
const REFUSED_MS = 200;

/** Calls `onLine` with each line that arrives. */
const readLines = (socket: Socket, onLine: (line: string) => void) => {
  let parts: string[] = [];
  socket.setEncoding('utf8').on('data', (chunk) => {
    parts.push(`${chunk}`);
    if (!chunk.includes('\n')) return;
    const lines = parts.join('').split('\n');
    parts = [lines.pop()!];
    for (const line of lines) onLine(line);
  });
};

/**
 * Connects the clients of one user on one machine through local sockets. The client with the listening socket leads, and
 * each message is a line of JSON. If sockets cannot be used, each client polls on its own.
 */
export const createSocketChannel =
  ({ identity, clock, maxBodyBytes, report }: SocketChannelConfig): JoinChannel =>
  ({ signal, elected, received, lost }: PeerMembership) => {
    /** Connections to all followers, or to the leader. */
    const peers = new Set<Socket>();
    /** The line of each message, so that a message is serialized only once for all followers. */
    const lines = new WeakMap<object, string>();
    let lead: Lead | undefined;

    const write = (socket: Socket, message: PeerMessage) => {
      // Messages for a peer that does not read would fill the memory. The peer reconnects when it reads again.
      if (socket.writableLength > maxBodyBytes) return socket.destroy();
      const line = (message && lines.get(message)) ?? `${toJson(message)}\n`;
      if (message) lines.set(message, line);
      return socket.write(line);
    };
    const addPeer = (socket: Socket, onClose: (hasSpoken: boolean) => void) => {
      let hasSpoken = false;
      peers.add(socket);
      readLines(socket, (line) => {
        try {
          received(JSON.parse(line), (message) => write(socket, message));
          hasSpoken = true;
        } catch {
          socket.destroy();
        }
      });
      socket
        .on('error', () => {})
        .on('close', () => {
          peers.delete(socket);
          if (!signal.aborted) onClose(hasSpoken);
        })
        .unref();
    };
    const addFollower = (socket: Socket) => {
      addPeer(socket, () => {});
      received(null, (message) => write(socket, message));
    };
    const addLeader = (socket: Socket) =>
      addPeer(socket, (hasSpoken) => {
        if (hasSpoken) lost();
        // A leader that has no file descriptors left closes each connection at once.
        else clock.setTimer(join, REFUSED_MS);
      });
    const disconnect = () => {
      lead?.end().catch(() => {});
      for (const socket of peers) socket.destroy();
    };
    const join = async () => {
      if (signal.aborted) return;
      try {
        const { electLeader } = await import('./leader-socket.ts');
        const election = await electLeader(identity, addFollower);
        if ('leader' in election) addLeader(election.leader);
        else lead = election.lead;
      } catch (error) {
        report('SHARING', (error as NodeJS.ErrnoException).code);
        if (!signal.aborted) return elected();
      }
      if (signal.aborted) disconnect();
      else if (lead) elected();
    };

    signal.addEventListener('abort', disconnect);
    join();
    return async (message) => {
      if (!lead) return;
      for (const socket of peers) write(socket, message);
      if (!(await lead.isHeld()) && !signal.aborted) lost();
    };
  };

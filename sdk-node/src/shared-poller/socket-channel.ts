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

/** What a channel is made from. */
export interface SocketChannelConfig {
  /** Clients with the same identity share the channel. */
  readonly identity: readonly string[];
  readonly clock: Clock;
  /** Most bytes that may wait for a peer that does not read. */
  readonly maxBodyBytes: number;
  readonly report: Report;
}

/** The wait before the next attempt, after a leader ended the connection without a message. */
const REFUSED_MS = 200;

/** Calls back with each line that arrives. */
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
 * Connects the clients of one user on one machine by local sockets; the one that owns the listening socket leads.
 * Messages are lines of JSON. Where sockets cannot be used, each client leads for itself.
 */
export const createSocketChannel =
  ({ identity, clock, maxBodyBytes, report }: SocketChannelConfig): JoinChannel =>
  ({ signal, elected, received, lost }: PeerMembership) => {
    /** Connections to all followers, or to the leader. */
    const peers = new Set<Socket>();
    /** Texts of messages, made once for all followers. */
    const lines = new WeakMap<object, string>();
    let lead: Lead | undefined;

    const write = (socket: Socket, message: PeerMessage) => {
      // A peer that does not read would fill the memory; once it reads again, it reconnects.
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
        // A leader that has run out of files turns every follower away, again and again.
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

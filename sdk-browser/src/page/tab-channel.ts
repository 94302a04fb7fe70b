import type { PeerMembership, PeerMessage, SendToPeers } from '@flagsvc/sdk-core/client';
import type { PageGlobals } from './page-globals.ts';

/**
 * Connects the visible tabs of an origin that use the same name. They exchange messages by BroadcastChannel, and the tab
 * that holds the Web Lock leads. If either is missing or blocked, as in a frame without storage, each tab polls on its
 * own.
 */
export const joinTabChannel = (
  globals: PageGlobals,
  name: string,
  { signal, elected, received }: PeerMembership,
): SendToPeers => {
  let channel: BroadcastChannel | undefined;
  const send = (message: PeerMessage) => channel?.postMessage(message);
  const close = () => {
    channel?.close();
    channel = undefined;
  };
  const join = async () => {
    try {
      channel = new globals.BroadcastChannel!(name);
      // The lock may be released later; messages that arrive until then may be for the previous user.
      signal.addEventListener('abort', close);
      channel.onmessage = ({ data }) => received(data, send);
      send(null);
      await globals.navigator!.locks!.request(name, { signal: signal as AbortSignal }, () => {
        if (signal.aborted) return;
        elected();
        return new Promise((release) => signal.addEventListener('abort', release as () => void));
      });
    } catch {
      if (!signal.aborted) elected();
    } finally {
      close();
    }
  };
  join();
  return send;
};

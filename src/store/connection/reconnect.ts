/**
 * Works around a driver problem in which a client never finds its server again. The driver checks a server
 * that reports no `topologyVersion`, such as FerretDB, with a heartbeat every ten seconds. A heartbeat
 * written to a connection that is just being closed is never answered and never times out (mongodb 7.9 waits
 * for the socket to drain), so the server stays unknown even when it is back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';

/** Milliseconds that a heartbeat on an established connection may take while its server is unknown. */
const STUCK = 5000;
const PAUSE = 1000;

/** Reconnects the client when a heartbeat is stuck. Returns a function that stops the watching. */
export function reconnectWhenStuck(client: MongoClient): () => void {
  const waiting = new Map<string, NodeJS.Timeout>();
  const established = new Set<string>();
  const unknown = new Set<string>();
  let ended = false;
  let reconnecting = false;

  const settle = (address: string): void => {
    clearTimeout(waiting.get(address));
    waiting.delete(address);
  };
  const reconnect = async (): Promise<void> => {
    if (reconnecting) return;
    reconnecting = true;
    established.clear();
    await client.close().catch(() => undefined);
    while (!ended) {
      const connected = await client.connect().catch(() => null);
      if (connected) break;
      await sleep(PAUSE);
    }
    reconnecting = false;
    if (ended) await client.close();
  };

  client.on('serverDescriptionChanged', ({ address, newDescription }) => {
    if (newDescription.type === 'Unknown') unknown.add(address);
    else unknown.delete(address);
  });
  client.on('serverHeartbeatStarted', ({ connectionId: address, awaited }) => {
    if (awaited || ended || !established.has(address)) return;
    settle(address);
    const timer = setTimeout(() => void (unknown.has(address) && reconnect()), STUCK);
    waiting.set(address, timer.unref());
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId: address }) => {
    settle(address);
    established.add(address);
  });
  client.on('serverHeartbeatFailed', ({ connectionId: address }) => {
    settle(address);
    established.delete(address);
  });
  return () => {
    ended = true;
    for (const address of waiting.keys()) settle(address);
  };
}

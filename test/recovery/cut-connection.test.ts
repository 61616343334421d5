/** Commands that are written into a connection while it is being cut: each ends, and the client goes on. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openStore } from '../../src/store/client.js';
import { FAULTY_DRIVER } from '../../src/store/connection/closed-sockets.js';
import { isUnavailable } from '../../src/store/connection/unavailable.js';
import { type TestStore, testStore } from '../support/engine.js';
import { startProxy, type WireProxy } from '../support/wire-proxy.js';

describe('a connection that is being cut', () => {
  let direct: TestStore;
  let proxy: WireProxy;

  before(async () => {
    direct = await testStore();
    proxy = await startProxy(direct.uri);
  });
  after(async () => {
    await proxy?.close();
    await direct?.close();
  });

  /** What a client opens through the proxy; `last` is its socket for commands. */
  const opened = async <T>(open: (uri: string) => Promise<T>): Promise<{ made: T; last: Socket }> => {
    const sockets: Socket[] = [];
    const keep = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      void once(socket, 'connect').then(() => {
        if (proxy.uri.includes(`:${socket.remotePort}/`)) sockets.push(socket);
      });
    };
    subscribe('net.client.socket', keep);
    const made = await open(`${proxy.uri}&maxPoolSize=1&serverMonitoringMode=poll`);
    unsubscribe('net.client.socket', keep);
    const last = sockets.at(-1);
    if (!last) throw new Error('no socket was opened');
    return { made, last };
  };

  /** Cuts a connection, up to where the driver does not know yet. */
  const cut = async (socket: Socket): Promise<void> => {
    let isTold = false;
    socket.once('close', () => {
      isTold = true;
    });
    proxy.cutAll();
    while (!socket.destroyed) await nextTurn();
    expect(isTold, 'the driver knows').to.equal(false);
  };

  it('ends the command that is written into it, and the next one finds the server', async () => {
    const { name } = direct;
    const { made: store, last } = await opened((uri) => openStore({ uri, name }));
    const ping = () => store.db.command({ ping: 1 });
    await cut(last);
    const error = await ping().then(
      () => null,
      (error: unknown) => error,
    );
    expect(isUnavailable(error), String(error)).to.equal(true);
    expect(await ping()).to.include({ ok: 1 });
    await store.close();
  });

  it('never ends that of any other client: once it does, closed-sockets.ts can go', async () => {
    const { made: client, last } = await opened(async (uri) => {
      const client = await new MongoClient(uri).connect();
      await client.db('admin').command({ ping: 1 });
      return client;
    });
    await cut(last);
    const closed = once(last, 'close');
    let hasEnded = false;
    const pinged = client
      .db('admin')
      .command({ ping: 1 })
      .catch(() => null)
      .finally(() => {
        hasEnded = true;
      });
    await closed;
    // A driver without the fault would end it in the turn in which the socket closes.
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(hasEnded).to.equal(false);
    last.emit('drain');
    await pinged;
    await client.close();
  });

  it('is worked around for the version of the driver that is installed', () => {
    const { version } = createRequire(import.meta.url)('mongodb/package.json') as { version: string };
    expect(version, 'check whether this version has the fault (docs/driver-closed-sockets.md)').to.equal(
      FAULTY_DRIVER,
    );
  });
});

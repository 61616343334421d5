/** Commands that are written into a connection while it is being cut: each ends, and the client goes on. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { openStore } from '../../src/store/client.js';
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

  it('ends the command that is written into it, and the next one finds the server', async () => {
    const { name } = direct;
    /** In the order in which the client opens them: for discovery, and then for commands. */
    const sockets: Socket[] = [];
    const keep = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      void once(socket, 'connect').then(() => {
        if (proxy.uri.includes(`:${socket.remotePort}/`)) sockets.push(socket);
      });
    };
    subscribe('net.client.socket', keep);
    const store = await openStore({ uri: `${proxy.uri}&maxPoolSize=1&serverMonitoringMode=poll`, name });
    unsubscribe('net.client.socket', keep);
    const ping = () => store.db.command({ ping: 1 });
    const socket = sockets.at(-1);
    let isTold = false;
    socket?.once('close', () => {
      isTold = true;
    });
    proxy.cutAll();
    while (!socket?.destroyed) await nextTurn();
    expect(isTold, 'the driver knows').to.equal(false);
    const error = await ping().then(
      () => null,
      (error: unknown) => error,
    );
    expect(isUnavailable(error), String(error)).to.equal(true);
    expect(await ping()).to.include({ ok: 1 });
    await store.close();
  });
});

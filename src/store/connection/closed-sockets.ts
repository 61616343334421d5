/**
 * Works around a driver problem (mongodb 7.9): a command whose bytes do not all fit into the socket's buffer
 * waits for the socket to drain, and a closed socket never does. A command written while its connection was
 * being cut therefore never ended: a write kept its documents locked, and a heartbeat left its server unknown
 * even when it was back.
 */
import type { EventEmitter } from 'node:events';
import { packageOnUse } from '../../values/on-use.js';
import { once } from '../../values/once-per.js';

/** The part of the driver's connections that is used here. */
interface Connection {
  readonly socket: EventEmitter & { write: unknown };
  /** Closes the connection. Commands under way check for the error after each step. */
  cleanup(error: Error): void;
}

const connections = packageOnUse<{ readonly Connection?: { readonly prototype: Partial<Connection> } }>(
  'mongodb/lib/cmap/connection.js',
);

/** Makes every command of this process end when its connection is closed; later drivers may differ, and are left alone. */
export const endWithConnections = once(() => {
  const prototype = connections().Connection?.prototype;
  const cleanup = prototype?.cleanup;
  if (!cleanup) return;
  prototype.cleanup = function (this: Connection, error) {
    cleanup.call(this, error);
    // Later writes do not wait for the socket, and those that wait continue.
    this.socket.write = () => true;
    this.socket.emit('drain');
  };
});

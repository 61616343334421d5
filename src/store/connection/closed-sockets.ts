/**
 * A command ends with its connection. The driver (mongodb 7.9) waits until what it writes has left the socket's buffer, and a socket
 * that is closed by then never says so. A command that met a connection while it was being cut was never answered: its write stayed
 * under way, and kept its documents locked. A heartbeat likewise, so that a server stayed unknown although it was back.
 */
import type { EventEmitter } from 'node:events';
import { packageOnUse } from '../../values/on-use.js';
import { once } from '../../values/once-per.js';

/** What is used of the driver's own connections. */
interface Connection {
  readonly socket: EventEmitter & { write: unknown };
  /** Called when a connection ends, in whatever way; the driver's commands look at the reason after each step. */
  cleanup(reason: Error): void;
}

const connections = packageOnUse<{ readonly Connection: { readonly prototype: Connection } }>(
  'mongodb/lib/cmap/connection.js',
);

/** Ends the waiting of all commands of this process whose connections are closed. */
export const endWithConnections = once(() => {
  const { prototype } = connections().Connection;
  const { cleanup } = prototype;
  prototype.cleanup = function (reason) {
    cleanup.call(this, reason);
    // Whoever comes later does not wait, and whoever waits goes on.
    this.socket.write = () => true;
    this.socket.emit('drain');
  };
});

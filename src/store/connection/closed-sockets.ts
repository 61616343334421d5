/**
 * Works around a fault of the driver (docs/driver-closed-sockets.md): a command whose bytes do not all fit into
 * the socket's buffer waits for the socket to drain, and a closed socket never does. A command written while its
 * connection was being cut therefore never ended: a write kept its documents locked, and a heartbeat left its
 * server unknown even when it was back.
 */
import type { EventEmitter } from 'node:events';
import type { MongoClientOptions } from 'mongodb';
import { packageOnUse } from '../../values/on-use.js';
import { once } from '../../values/once-per.js';

/** The part of the driver's connections that is used here. */
interface Connection {
  readonly socket: EventEmitter & { write: unknown };
  /** Closes the connection. Commands under way check for the error after each step. */
  cleanup(error: Error): void;
}

interface ConnectionModule {
  readonly Connection: new (...given: unknown[]) => Connection;
}

/** The version that has the fault, and whose connections are as expected here. package.json names it exactly. */
export const FAULTY_DRIVER = '7.9.0';

const driver = packageOnUse<{ readonly version: string }>('mongodb/package.json');
const connections = packageOnUse<ConnectionModule>('mongodb/lib/cmap/connection.js');

/** Options of a client whose commands end when their connection is closed; none for other versions of the driver. */
export const endingCommands = once((): MongoClientOptions => {
  if (driver().version !== FAULTY_DRIVER) return {};
  class EndingConnection extends connections().Connection {
    override cleanup(error: Error): void {
      super.cleanup(error);
      // Later writes do not wait for the socket, and those that wait continue.
      this.socket.write = () => true;
      this.socket.emit('drain');
    }
  }
  // An option that the driver reads, but that its types do not have.
  return { connectionType: EndingConnection } as MongoClientOptions;
});

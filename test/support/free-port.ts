import { connect } from 'node:net';

/** Below the ports that systems give to connections and to servers that ask for any, of which one could be taken at any time. */
const LOWEST = 29_000;
const COUNT = 3000;

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** A port for a server that is started later, by another process. */
export async function freePort(): Promise<number> {
  const port = LOWEST + Math.floor(Math.random() * COUNT);
  return (await isTaken(port)) ? freePort() : port;
}

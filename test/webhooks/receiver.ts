import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../packages/engine/test/support/until.js';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The ids of the entry. */
  readonly entry: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly status: number;
  readonly after?: number;
  readonly location?: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What is answered from now on: a status, after so many milliseconds; a path for a redirect. */
  answer: (got: Received) => Answer | Promise<Answer>;
  /** How many connections there have been. */
  connections(): number;
  /** Waits until so many have arrived. */
  count(expected: number): Promise<void>;
  close(): Promise<void>;
}

const FINE = { status: 204 };

/** A server that webhooks are sent to. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const receiver = { answer: (_: Received): ReturnType<Receiver['answer']> => FINE };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body = text === '' ? {} : JSON.parse(text);
    const got = { path: request.url ?? '', headers: request.headers, text, body, entry: body.entry ?? {} };
    received.push(got);
    const { status, after = 0, location } = await receiver.answer(got);
    setTimeout(() => {
      response.writeHead(status, location ? { location } : {});
      response.end();
    }, after);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    count: (expected: number) =>
      until(
        async () => received.length >= expected,
        () => `${received.length} of ${expected}: ${received.map(({ text }) => text).join('\n')}`,
      ),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

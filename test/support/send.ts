export interface Sent {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The parts of a response that tests look at. `body` is JSON, a string, or null if there is none. */
export interface Received {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  /** The field at a dotted path of the body. */
  at(path: string): unknown;
}

const dig = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
      value,
    );

/** Sends JSON and reads the response. With a body, the method is POST by default. */
export const send = async (base: string, path: string, sent: Sent = {}): Promise<Received> => {
  const { body, token, signal, method = body === undefined ? 'GET' : 'POST' } = sent;
  const answer = await fetch(base + path, {
    method,
    redirect: 'manual',
    ...(signal && { signal }),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...sent.headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  const read: unknown = isJson ? JSON.parse(text) : text || null;
  return { status: answer.status, body: read, headers: answer.headers, at: (member) => dig(read, member) };
};

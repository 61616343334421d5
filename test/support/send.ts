export interface Sent {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer as far as tests look at it. `body` is JSON, text, or null where there is none. */
export interface Received {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  /** The member at a dotted path of the body. */
  at(path: string): unknown;
}

const dig = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
      value,
    );

/** Sends JSON and reads what comes back. A body makes it a POST unless said otherwise. */
export const send = async (base: string, path: string, sent: Sent = {}): Promise<Received> => {
  const { body, token, method = body === undefined ? 'GET' : 'POST' } = sent;
  const answer = await fetch(base + path, {
    method,
    redirect: 'manual',
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

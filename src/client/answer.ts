/** An error response: its status and what the server says about it (docs/errors.md). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    override readonly name: string,
    message: string,
    readonly details: unknown,
  ) {
    super(message);
  }
}

type Body = { readonly error?: { name?: string; message?: string; details?: unknown } } | null;

/** @throws ApiError for an error response */
export async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : null;
  if (response.ok) return withTag(body, response.headers.get('etag'));
  const { name = 'ApiError', message = response.statusText, details } = (body as Body)?.error ?? {};
  throw new ApiError(response.status, name, message, details);
}

const withTag = (body: unknown, etag: string | null): unknown =>
  etag !== null && typeof body === 'object' && body !== null && 'data' in body ? { ...body, etag } : body;

import { SeedError } from './error.js';

/** Milliseconds for all of a download. */
const TIME = 60_000;
const MOST_REDIRECTS = 5;

export interface Downloaded {
  readonly buffer: Buffer;
  /** The last part of the address. */
  readonly name: string;
  readonly mime: string | undefined;
}

/** The bytes at an address, over http or https, redirects included. @throws SeedError @param limit bytes */
export async function download(address: string, limit: number): Promise<Downloaded> {
  const signal = AbortSignal.timeout(TIME);
  let url = new URL(address);
  for (let redirects = 0; ; redirects++) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new SeedError(`${url.href}: only http and https are fetched`);
    const response = await fetch(url, { redirect: 'manual', signal }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new SeedError(`${url.href}: ${cause instanceof Error ? cause.message : String(cause)}`);
    });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      if (redirects === MOST_REDIRECTS)
        throw new SeedError(`${address}: more than ${MOST_REDIRECTS} redirects`);
      url = new URL(location, url);
      continue;
    }
    if (!response.ok) throw new SeedError(`${url.href} answers ${response.status}`);
    const name = decodeURIComponent(new URL(address).pathname.split('/').at(-1) ?? '') || 'file';
    const [mime] = (response.headers.get('content-type') ?? '').split(';');
    return { buffer: await bytesOf(response, limit), name, mime: mime?.trim() || undefined };
  }
}

async function bytesOf(response: Response, limit: number): Promise<Buffer> {
  const tooLarge = () => new SeedError(`${response.url} has more than ${limit} bytes (upload.sizeLimit)`);
  if (Number(response.headers.get('content-length') ?? 0) > limit) {
    await response.body?.cancel();
    throw tooLarge();
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    // Leaving the loop ends the download.
    if (size > limit) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

import { Readable } from 'node:stream';

/** Unsent bytes of one stream, beyond which nothing is added: its client gets the whole answer once it has read them. */
const MAX_UNSENT = 256_000;

/** The sending side of one client's stream. */
export class ClientStream {
  /** Events are pushed as they occur. */
  readonly body = new Readable({ read: () => undefined });
  /** What the client has: the digest of an answer, or any other text; empty: nothing. */
  has: string;
  /** The client has missed something, because it does not read as fast as the answer changes. */
  isBehind = false;
  private sentAt = performance.now();
  private readonly inResponse: () => number;

  /**
   * @param lastEventId the id of the last event that the client got over an earlier connection; empty if none
   * @param inResponse the bytes that the response has not sent yet
   */
  constructor(lastEventId: string, inResponse: () => number) {
    this.has = lastEventId;
    this.inResponse = inResponse;
    this.commentAfter(0);
  }

  /** Bytes that the client has not read yet, other than those on their way. */
  get unsent(): number {
    return this.body.readableLength + this.inResponse();
  }

  get isFull(): boolean {
    return this.unsent > MAX_UNSENT;
  }

  /** @param digest of the answer that the client has then */
  send(events: Buffer, digest: string): void {
    this.has = digest;
    this.isBehind = false;
    this.push(events);
  }

  /** Sends a sign of life after so many milliseconds of silence; it makes both sides notice that the other is gone. */
  commentAfter(ms: number): void {
    if (performance.now() - this.sentAt >= ms && !this.isFull) this.push(':\n\n');
  }

  end(): void {
    if (!this.body.destroyed && !this.body.readableEnded) this.body.push(null);
  }

  private push(text: string | Buffer): void {
    if (this.body.destroyed) return;
    this.sentAt = performance.now();
    this.body.push(text);
  }
}

import { Readable } from 'node:stream';

/** Unsent bytes of one stream, beyond which nothing is added: its client gets the whole answer once it has read them. */
const MAX_UNSENT = 256_000;
/** Neither read nor `_read` is awaited: events are pushed as they occur. */
const PUSHED = { read: () => undefined };

/** The sending side of one client's stream. */
export class ClientStream {
  readonly body = new Readable(PUSHED);
  /** What the client has: the digest of an answer, or any other text. */
  has: string;
  /** Nothing has been sent yet, nor does the client have something from an earlier connection. */
  isNew: boolean;
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
    this.isNew = lastEventId === '';
    this.inResponse = inResponse;
    this.comment();
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
    this.isNew = false;
    this.isBehind = false;
    this.push(events);
  }

  /** A sign of life, which also makes both sides notice that the other is gone. */
  comment(): void {
    this.push(':\n\n');
  }

  /** Whether nothing has been sent for so many milliseconds. */
  isQuiet(ms: number): boolean {
    return performance.now() - this.sentAt >= ms;
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

import type { Document } from 'bson';
import { EngineError, fail } from '../errors.js';
import { encodeDocument } from '../storage/encode.js';
import { checkDocument } from '../values/check-bson.js';
import { decodeDocument } from '../values/index.js';
import { ARRAY, DOCUMENT, STRING } from '../values/type-bytes.js';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

const MORE_TO_COME = 2;
const EXHAUST_ALLOWED = 1 << 16;
const CHECKSUM = 1;

/** A command as received: its body, and the documents of its sequences as bytes. */
export interface Request {
  readonly id: number;
  readonly body: Document;
  /** Documents that stay encoded: those of document sequences, and an insert's own `documents`. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** The client does not wait for a response (an unacknowledged write). */
  readonly silent: boolean;
  /** The client accepts several responses to this request. */
  readonly exhaust: boolean;
  /** The request came as OP_QUERY, which only handshakes of old drivers use. */
  readonly legacy: boolean;
  /** Why the message cannot be read; its body is then empty. */
  readonly error?: EngineError;
}

function cstringEnd(buffer: Buffer, from: number, limit: number): number {
  const end = buffer.indexOf(0, from);
  return end < 0 || end >= limit ? fail('InvalidBSON', 'a name without an end') : end;
}

/** The elements of a checked array of documents, undecoded; undefined if one is not a document. */
function splitArray(bytes: Buffer): Buffer[] | undefined {
  const out: Buffer[] = [];
  let at = 4;
  while (bytes[at] === DOCUMENT) {
    at = bytes.indexOf(0, at + 1) + 1;
    const size = bytes.readInt32LE(at);
    out.push(bytes.subarray(at, at + size));
    at += size;
  }
  return bytes[at] === 0 ? out : undefined;
}

/** An array that is the second field of a body: where the field begins, and its value begins and ends. */
interface SecondField {
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/** Finds the array that follows the name of the collection, as drivers send it: `{ insert: 'name', documents: […], … }`. */
function secondField(body: Buffer, command: string, array: string): SecondField | undefined {
  const first = 5 + command.length + 1;
  if (body[4] !== STRING || body.toString('latin1', 5, first) !== `${command}\0`) return undefined;
  const from = first + 4 + body.readInt32LE(first);
  const start = from + array.length + 2;
  if (body[from] !== ARRAY || body.toString('latin1', from + 1, start) !== `${array}\0`) return undefined;
  return { from, start, end: start + body.readInt32LE(start) };
}

/** A body without one of its fields. */
function without(body: Buffer, { from, end }: SecondField): Document {
  return decodeDocument(Buffer.concat([body.subarray(0, from), body.subarray(end)]));
}

/** Decodes a checked body, except the documents of an insert, which are put to the sequences. */
function readBody(body: Buffer, sequences: Map<string, readonly Buffer[]>): Document {
  const inserted = sequences.has('documents') ? undefined : secondField(body, 'insert', 'documents');
  const documents = inserted && splitArray(body.subarray(inserted.start, inserted.end));
  if (inserted !== undefined && documents !== undefined) {
    sequences.set('documents', documents);
    return without(body, inserted);
  }
  return decodeDocument(body);
}

/** Adds the documents of a sequence; returns where it ends. */
function readSequence(
  buffer: Buffer,
  start: number,
  limit: number,
  sequences: Map<string, readonly Buffer[]>,
): number {
  const end = start + 4 <= limit ? start + buffer.readInt32LE(start) : limit + 1;
  if (end > limit || end < start + 5) fail('InvalidBSON', 'a document sequence of impossible length');
  const nameEnd = cstringEnd(buffer, start + 4, end);
  const name = buffer.toString('utf8', start + 4, nameEnd);
  if (sequences.has(name)) fail(40431, `Duplicate document sequence: ${name}`);
  const documents: Buffer[] = [];
  for (let at = nameEnd + 1; at < end; ) {
    const next = checkDocument(buffer, at, end);
    documents.push(buffer.subarray(at, next));
    at = next;
  }
  sequences.set(name, documents);
  return end;
}

/** The body and the sequences of an OP_MSG. Every byte that a client sends as BSON is checked here or in `readQuery`, once. */
function readSections(buffer: Buffer, end: number): Pick<Request, 'body' | 'sequences'> {
  const sequences = new Map<string, readonly Buffer[]>();
  let body: Buffer | undefined;
  for (let at = 20; at < end; ) {
    const kind = buffer[at];
    at += 1;
    if (kind === 0) {
      if (body !== undefined) fail(40430, 'Multiple body sections in message');
      const next = checkDocument(buffer, at, end);
      body = buffer.subarray(at, next);
      at = next;
    } else if (kind === 1) {
      at = readSequence(buffer, at, end, sequences);
    } else {
      fail(40432, `Unknown section kind ${kind}`);
    }
  }
  if (body === undefined) return fail(40587, 'OP_MSG messages must have a Body section');
  const given = [...sequences.keys()];
  const decoded = readBody(body, sequences);
  const twice = given.find((name) => Object.hasOwn(decoded, name));
  if (twice !== undefined) fail(40433, `Duplicate field between body and document sequence ${twice}`);
  return { body: decoded, sequences };
}

const NOTHING: Pick<Request, 'body' | 'sequences'> = { body: {}, sequences: new Map() };

/** What a reader returns, or the reason for which it refuses the message. */
function orError<T extends object>(read: () => T): T | (typeof NOTHING & { readonly error: EngineError }) {
  try {
    return read();
  } catch (error) {
    if (error instanceof EngineError) return { ...NOTHING, error };
    throw error;
  }
}

function readMsg(buffer: Buffer): Request {
  const flags = buffer.length < 20 ? 0 : buffer.readUInt32LE(16);
  const end = (flags & CHECKSUM) !== 0 ? buffer.length - 4 : buffer.length;
  return {
    id: buffer.readInt32LE(4),
    ...orError(() => readSections(buffer, end)),
    silent: (flags & MORE_TO_COME) !== 0,
    exhaust: (flags & EXHAUST_ALLOWED) !== 0,
    legacy: false,
  };
}

function readQueried(buffer: Buffer): Pick<Request, 'body' | 'sequences'> {
  const nameEnd = cstringEnd(buffer, 20, buffer.length);
  const start = nameEnd + 9;
  const body = decodeDocument(buffer.subarray(start, checkDocument(buffer, start, buffer.length)));
  const db = buffer.toString('utf8', 20, nameEnd).split('.', 1)[0];
  return { body: { ...body, $db: db }, sequences: new Map() };
}

const readQuery = (buffer: Buffer): Request => ({
  id: buffer.readInt32LE(4),
  ...orError(() => readQueried(buffer)),
  silent: false,
  exhaust: false,
  legacy: true,
});

/**
 * Reads a whole message. One whose contents are not valid has an `error`, to be answered. Throws `EngineError` (ProtocolError)
 * for anything other than OP_MSG and OP_QUERY, after which a connection is closed.
 */
export function readMessage(buffer: Buffer): Request {
  const code = buffer.readInt32LE(12);
  if (code === OP_MSG) return readMsg(buffer);
  if (code === OP_QUERY) return readQuery(buffer);
  return fail('ProtocolError', `unsupported operation ${code}`);
}

let lastId = 0;

/**
 * A response as sent over the wire, in order. `body` may already be encoded; it is not copied. `more`: another response to the
 * same request follows.
 */
export function writeMessage(
  request: Request,
  body: Document | Buffer,
  more = false,
): readonly [head: Buffer, body: Buffer] {
  const bytes = Buffer.isBuffer(body) ? body : encodeDocument(body);
  const head = Buffer.alloc(request.legacy ? 36 : 21);
  lastId = (lastId + 1) & 0x7fffffff;
  head.writeInt32LE(head.length + bytes.length, 0);
  head.writeInt32LE(lastId, 4);
  head.writeInt32LE(request.id, 8);
  head.writeInt32LE(request.legacy ? OP_REPLY : OP_MSG, 12);
  if (request.legacy) {
    head.writeInt32LE(8, 16);
    head.writeInt32LE(1, 32);
  } else if (more) head.writeUInt32LE(MORE_TO_COME, 16);
  return [head, bytes];
}

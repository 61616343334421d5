import type { Document } from 'bson';
import { EngineError } from '../errors.js';
import { encodeDocument } from '../storage/encode.js';
import { decodeDocument } from '../values/index.js';
import { decodePipeline } from './known-pipelines.js';

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
}

const bad = (message: string): EngineError => new EngineError('ProtocolError', message);

const cstringEnd = (buffer: Buffer, from: number): number => {
  const end = buffer.indexOf(0, from);
  if (end < 0) throw bad('a name without an end');
  return end;
};

/** The elements of a BSON array of documents, undecoded; undefined if one is not a document. */
function splitArray(bytes: Buffer): Buffer[] | undefined {
  const out: Buffer[] = [];
  let at = 4;
  while (bytes[at] === 3) {
    at = cstringEnd(bytes, at + 1) + 1;
    const size = bytes.readInt32LE(at);
    out.push(bytes.subarray(at, at + size));
    at += size;
  }
  return bytes[at] === 0 ? out : undefined;
}

const DOCUMENTS = Buffer.from('\x04documents\0', 'latin1');

/** An insert's body without its documents, and these as bytes; undefined if the body has none, or they include other values. */
function takeDocuments(body: Buffer): { rest: Buffer; documents: Buffer[] } | undefined {
  const at = body.indexOf(DOCUMENTS);
  if (at < 0) return undefined;
  const start = at + DOCUMENTS.length;
  const end = start + body.readInt32LE(start);
  const documents = splitArray(body.subarray(start, end));
  if (documents === undefined) return undefined;
  const rest = Buffer.concat([body.subarray(0, at), body.subarray(end)]);
  rest.writeInt32LE(rest.length, 0);
  return { rest, documents };
}

/** Whether the first field of a body is `insert`, a string. */
const isInsert = (body: Buffer): boolean => body[4] === 2 && body.toString('latin1', 5, 12) === 'insert\0';

const AGGREGATE = 'aggregate\0';
const PIPELINE = Buffer.from('\x04pipeline\0', 'latin1');

/** The body of an aggregation with a pipeline directly after its name, as drivers send it; undefined for all others. */
function readAggregation(bytes: Buffer): Document | undefined {
  const name = 5 + AGGREGATE.length;
  if (bytes[4] !== 2 || bytes.toString('latin1', 5, name) !== AGGREGATE) return undefined;
  const at = name + 4 + bytes.readInt32LE(name);
  const start = at + PIPELINE.length;
  if (!bytes.subarray(at, start).equals(PIPELINE)) return undefined;
  const end = start + bytes.readInt32LE(start);
  if (end <= start || end > bytes.length) return undefined;
  const pipeline = decodePipeline(bytes, start, end);
  const { aggregate, ...others } = decodeDocument(
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]),
  );
  return { aggregate, pipeline, ...others };
}

function readBody(bytes: Buffer, sequences: Map<string, readonly Buffer[]>): Document {
  if (isInsert(bytes)) {
    // The name may also occur in a document: only an element directly after `insert: "name"` is used.
    const nameEnd = 12 + 4 + bytes.readInt32LE(12);
    const tail = bytes.subarray(nameEnd);
    if (tail.subarray(0, DOCUMENTS.length).equals(DOCUMENTS)) {
      const taken = takeDocuments(bytes);
      if (taken !== undefined) {
        sequences.set('documents', taken.documents);
        return decodeDocument(taken.rest);
      }
    }
  }
  return readAggregation(bytes) ?? decodeDocument(bytes);
}

function readSequence(buffer: Buffer, start: number, sequences: Map<string, readonly Buffer[]>): number {
  const end = start + buffer.readInt32LE(start);
  const nameEnd = cstringEnd(buffer, start + 4);
  const documents: Buffer[] = [];
  for (let at = nameEnd + 1; at < end; ) {
    const size = buffer.readInt32LE(at);
    if (size < 5 || at + size > end) throw bad('a document sequence with a wrong length');
    documents.push(buffer.subarray(at, at + size));
    at += size;
  }
  sequences.set(buffer.toString('utf8', start + 4, nameEnd), documents);
  return end;
}

function readMsg(buffer: Buffer): Request {
  const flags = buffer.readUInt32LE(16);
  const end = (flags & CHECKSUM) !== 0 ? buffer.length - 4 : buffer.length;
  const sequences = new Map<string, readonly Buffer[]>();
  let body: Buffer | undefined;
  for (let at = 20; at < end; ) {
    const kind = buffer[at];
    at += 1;
    if (kind === 0) {
      const size = buffer.readInt32LE(at);
      body = buffer.subarray(at, at + size);
      at += size;
    } else if (kind === 1) {
      at = readSequence(buffer, at, sequences);
    } else {
      throw bad(`unknown section kind ${kind}`);
    }
  }
  if (body === undefined) throw bad('a message without a body');
  const silent = (flags & MORE_TO_COME) !== 0;
  const exhaust = (flags & EXHAUST_ALLOWED) !== 0;
  return {
    id: buffer.readInt32LE(4),
    body: readBody(body, sequences),
    sequences,
    silent,
    exhaust,
    legacy: false,
  };
}

function readQuery(buffer: Buffer): Request {
  const nameEnd = cstringEnd(buffer, 20);
  const at = nameEnd + 9;
  const body = decodeDocument(buffer.subarray(at, at + buffer.readInt32LE(at)));
  const db = buffer.toString('utf8', 20, nameEnd).split('.', 1)[0];
  return {
    id: buffer.readInt32LE(4),
    body: { ...body, $db: db },
    sequences: new Map(),
    silent: false,
    exhaust: false,
    legacy: true,
  };
}

/** Reads a whole message. Throws `EngineError` (ProtocolError) for anything other than OP_MSG and OP_QUERY. */
export function readMessage(buffer: Buffer): Request {
  const code = buffer.readInt32LE(12);
  if (code === OP_MSG) return readMsg(buffer);
  if (code === OP_QUERY) return readQuery(buffer);
  throw bad(`unsupported operation ${code}`);
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

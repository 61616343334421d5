import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Busboy from 'busboy';
import { type ApiError, errors } from '../errors.js';
import { shorten } from '../print-value.js';
import { addTo } from '../values/group.js';
import { packageOnUse } from '../values/on-use.js';

const busboy = packageOnUse<typeof Busboy>('busboy');

export interface ReceivedFile {
  /** Name of the form field. */
  readonly field: string;
  readonly name: string;
  readonly mime: string;
  /** Exists as long as the scratch folder. */
  readonly path: string;
}

export interface Multipart {
  readonly files: readonly ReceivedFile[];
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

interface MultipartLimits {
  /** Maximum bytes of a stored file (`upload.sizeLimit`). */
  readonly sizeLimit: number;
  /** Maximum bytes of a file that is received (`body.maxFileSize`). */
  readonly maxFileSize: number;
}

const MOST = { files: 100, fields: 200, fieldSize: 1_000_000, fieldNameSize: 200, parts: 300 };
/**
 * Bytes of all fields together, which are held in memory. The same amount is allowed for what is between the
 * parts.
 */
const MAX_FIELD_BYTES = 1_000_000;

const malformed = (): ApiError => errors.validation('multipart-malformed', 'The multipart body is malformed');
/** A full disk is not the sender's fault; any other error here is a truncated form. */
const asRefusal = (error: Error): Error => ('syscall' in error ? error : malformed());
const tooMany = (what: string, most: number): ApiError =>
  errors.tooLarge('multipart-too-many-parts', `More than ${most} ${what}`);

const oversized = (name: string, { sizeLimit, maxFileSize }: MultipartLimits): ApiError =>
  sizeLimit <= maxFileSize
    ? errors.tooLarge('file-too-large', `${shorten(name)} exceeds size limit of ${sizeLimit}`)
    : errors.tooLarge('multipart-file-too-large', 'FileTooBig');

/**
 * Reads a `multipart/form-data` body and streams its files into `folder`. Throws a 413 as soon as something
 * is too large, a 400 for a malformed body. Files are not held in memory.
 */
export const readMultipart = async (
  request: IncomingMessage,
  limits: MultipartLimits,
  folder: string,
): Promise<Multipart> => {
  const files: ReceivedFile[] = [];
  const fields = new Map<string, string[]>();
  const writing: Promise<void>[] = [];
  let fieldBytes = 0;
  let received = 0;
  // busboy reports a file as too large when it reaches the limit, not when it exceeds it.
  const form = openForm(request, Math.min(limits.sizeLimit, limits.maxFileSize) + 1);

  const read = new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(error);
      request.unpipe(form);
      // The rest is read and dropped, so that the client can read the answer.
      request.resume();
      // Deferred: busboy is processing a chunk and would continue with what was just destroyed.
      setImmediate(() => form.destroy());
    };
    form.on('file', (field, stream: Readable, { filename, mimeType }) => {
      // An empty file field is sent without a name.
      if (!filename) {
        stream.resume();
        return;
      }
      const path = join(folder, randomUUID());
      files.push({ field, name: filename, mime: mimeType, path });
      stream.once('limit', () => fail(oversized(filename, limits)));
      writing.push(pipeline(stream, createWriteStream(path)).catch((error: Error) => fail(asRefusal(error))));
    });
    form.on('field', (name, value, { valueTruncated }) => {
      fieldBytes += Buffer.byteLength(value);
      if (valueTruncated) fail(errors.tooLarge('multipart-name-too-long', `${name} is too long`));
      else if (fieldBytes > MAX_FIELD_BYTES)
        fail(errors.tooLarge('multipart-fields-too-long', 'The fields are too long'));
      else addTo(fields, name, value);
    });
    form.once('filesLimit', () => fail(tooMany('files', MOST.files)));
    form.once('fieldsLimit', () => fail(tooMany('fields', MOST.fields)));
    form.once('partsLimit', () => fail(tooMany('parts', MOST.parts)));
    form.on('error', () => fail(malformed()));
    form.once('close', resolve);
    request.once('close', () => {
      if (!request.complete) fail(malformed());
    });
    // As in Strapi, all files together are limited to the maximum of one.
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > limits.maxFileSize + 2 * MAX_FIELD_BYTES)
        fail(errors.tooLarge('multipart-file-too-large', 'FileTooBig'));
    });
    request.pipe(form);
    // The client left before anything listened.
    if (request.destroyed) fail(malformed());
  });

  try {
    await read;
  } finally {
    await Promise.all(writing);
  }
  return { files, fields };
};

const openForm = (request: IncomingMessage, fileSize: number): Busboy.Busboy => {
  try {
    const limits = { ...MOST, fileSize };
    return busboy()({ headers: request.headers, defParamCharset: 'utf8', limits });
  } catch {
    throw malformed();
  }
};

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
  /** Where its bytes are for as long as the scratch folder is. */
  readonly path: string;
}

export interface Multipart {
  readonly files: readonly ReceivedFile[];
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

interface MultipartLimits {
  /** Bytes of one file that the service keeps (`upload.sizeLimit`). */
  readonly sizeLimit: number;
  /** Bytes of one file that the server reads at all (`body.maxFileSize`). */
  readonly maxFileSize: number;
}

const MOST = { files: 100, fields: 200, fieldSize: 1_000_000, fieldNameSize: 200, parts: 300 };
/** Bytes of all fields together, which are held in memory; as many again are left for what stands between the parts. */
const MAX_FIELD_BYTES = 1_000_000;

const malformed = (): ApiError => errors.validation('multipart-malformed', 'The multipart body is malformed');
/** A disk that is full is not the sender's fault; everything else here is a form that breaks off. */
const asRefusal = (error: Error): Error => ('syscall' in error ? error : malformed());
const tooMany = (what: string, most: number): ApiError =>
  errors.tooLarge('multipart-too-many-parts', `More than ${most} ${what}`);

const oversized = (name: string, { sizeLimit, maxFileSize }: MultipartLimits): ApiError =>
  sizeLimit <= maxFileSize
    ? errors.tooLarge('file-too-large', `${shorten(name)} exceeds size limit of ${sizeLimit}`)
    : errors.tooLarge('multipart-file-too-large', 'FileTooBig');

/**
 * Reads a `multipart/form-data` body, its files streamed into `folder`. Throws a 413 as soon as something is too large, a 400 for
 * a body that cannot be read. Nothing of a file is held in memory.
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
  // busboy calls a file too large when it reaches the limit, not when it exceeds it.
  const form = openForm(request, Math.min(limits.sizeLimit, limits.maxFileSize) + 1);

  const read = new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(error);
      request.unpipe(form);
      // The rest is read and dropped, so that the client gets to read the answer.
      request.resume();
      // Not at once: busboy is in the middle of a chunk, and would go on with what it has just given up.
      setImmediate(() => form.destroy());
    };
    form.on('file', (field, stream: Readable, { filename, mimeType }) => {
      // A file field that was left empty is sent without a name.
      if (!filename) {
        stream.resume();
        return;
      }
      const path = join(folder, `part-${files.length}`);
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
    // All files together may take what one may, as in Strapi.
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > limits.maxFileSize + 2 * MAX_FIELD_BYTES)
        fail(errors.tooLarge('multipart-file-too-large', 'FileTooBig'));
    });
    request.pipe(form);
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

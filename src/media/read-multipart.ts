import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { ApiError, errors } from '../errors.js';

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

export interface MultipartLimits {
  /** Bytes of one file that the service keeps (`upload.sizeLimit`). */
  readonly sizeLimit: number;
  /** Bytes of one file that the server reads at all (`body.maxFileSize`). */
  readonly maxFileSize: number;
}

const MOST = { files: 100, fields: 200, fieldSize: 1_000_000, fieldNameSize: 200, parts: 300 };

const malformed = (): ApiError => errors.validation('The multipart body is malformed');
const tooMany = (what: string, most: number): ApiError => errors.tooLarge(`More than ${most} ${what}`);

const oversized = (name: string, { sizeLimit, maxFileSize }: MultipartLimits): ApiError =>
  sizeLimit <= maxFileSize
    ? errors.tooLarge(`${name} exceeds size limit of ${sizeLimit}`)
    : errors.tooLarge('FileTooBig');

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
  const fileSize = Math.min(limits.sizeLimit, limits.maxFileSize);
  const form = openForm(request, fileSize);
  const fail = (error: ApiError): void => {
    form.destroy(error);
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
    writing.push(pipeline(stream, createWriteStream(path)).catch(() => fail(malformed())));
  });
  form.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated) fail(errors.tooLarge(`${name} is too long`));
    else fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  form.once('filesLimit', () => fail(tooMany('files', MOST.files)));
  form.once('fieldsLimit', () => fail(tooMany('fields', MOST.fields)));
  form.once('partsLimit', () => fail(tooMany('parts', MOST.parts)));

  try {
    await pipeline(request, form);
  } catch (error) {
    // The rest is read and dropped, so that the client gets to read the answer.
    request.unpipe(form);
    request.resume();
    await Promise.allSettled(writing);
    throw error instanceof ApiError ? error : malformed();
  }
  await Promise.all(writing);
  return { files, fields };
};

const openForm = (request: IncomingMessage, fileSize: number): busboy.Busboy => {
  try {
    const limits = { ...MOST, fileSize };
    return busboy({ headers: request.headers, defParamCharset: 'utf8', limits });
  } catch {
    throw malformed();
  }
};

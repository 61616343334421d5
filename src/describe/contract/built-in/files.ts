/** Files. Answers have no envelope. */

import { answered, paginationMeta } from '../content.js';
import type { Describing } from '../describing.js';
import { entrySchema, fileType, plainRow } from '../entries.js';
import { fileInfo } from '../files.js';
import {
  arrayOf,
  booleanSchema,
  idOrText,
  instantSchema,
  integerSchema,
  objectOf,
  stringSchema,
  withMembers,
} from '../json-schema.js';
import { inQuery, pages, populating } from '../parameters.js';
import type { JsonSchema, RequestBody, ResponseDescription, Schemas } from '../types.js';
import { NUMBER_IN_PATH } from './auth.js';
import { type BuiltInTable, opOf } from './types.js';

const op = opOf('files');

const SIGNED: Schemas = { isUrlSigned: booleanSchema };

/** A file as the upload routes return it. */
const file = (describing: Describing): JsonSchema =>
  describing.named('File', () => entrySchema(fileType(describing), SIGNED, describing));

/** The same as stored, without relations. */
const written = (describing: Describing): JsonSchema =>
  describing.named('StoredFile', () => withMembers(plainRow(fileType(describing), describing), SIGNED));

const one = (schema: JsonSchema): ResponseDescription => answered('The file', schema);

/** `format` is the OpenAPI 3.0 notation, which many client generators still use. */
const BINARY: JsonSchema = {
  ...stringSchema,
  format: 'binary',
  contentMediaType: 'application/octet-stream',
};

const uploadBody = (describing: Describing): RequestBody => ({
  required: true,
  content: {
    'multipart/form-data': describing.named('UploadRequest', () =>
      objectOf(
        {
          files: arrayOf(BINARY),
          fileInfo: {
            ...arrayOf(fileInfo(describing)),
            description: 'JSON, one for each file in the same order',
          },
          ref: { ...stringSchema, description: 'uid of the content type to link the files to' },
          refId: { ...idOrText, description: 'Numeric id of its entry' },
          field: { ...stringSchema, description: 'Name of its media attribute' },
          path: stringSchema,
          folder: stringSchema,
        },
        [],
      ),
    ),
    'application/json': describing.named('FileInfoRequest', () =>
      objectOf({ fileInfo: fileInfo(describing) }),
    ),
  },
});

export const FILES: BuiltInTable = {
  'POST /upload': (describing) =>
    op('upload', 'Upload files; with `id`, replace a file or its information', {
      parameters: [inQuery('id', integerSchema, 'Numeric id of the file to replace')],
      body: uploadBody(describing),
      answers: {
        200: one(written(describing)),
        201: answered('The files', arrayOf(written(describing))),
      },
      groups: ['write'],
      codes: [
        'file-info-not-json',
        'file-info-value-invalid',
        'file-name-invalid',
        'file-too-large',
        'file-type-not-allowed',
        'file-type-unverifiable',
        'files-empty',
        'forbidden',
        'image-invalid',
        'image-too-large',
        'key-invalid',
        'mime-type-not-allowed',
        'multipart-fields-too-long',
        'multipart-file-too-large',
        'multipart-malformed',
        'multipart-name-too-long',
        'multipart-too-many-parts',
        'replacement-not-one-file',
        'upload-entry-missing',
        'upload-field-invalid',
        'upload-ref-id-invalid',
        'upload-ref-invalid',
        'upload-target-not-found',
      ],
    }),
  'GET /upload/files': (describing) =>
    op('listFiles', 'List all files', {
      parameters: pages(fileType(describing), describing),
      answers: { 200: answered('Files', arrayOf(file(describing))) },
      groups: ['query'],
    }),
  'GET /upload/files/page': (describing) =>
    op('listFilePages', 'List files by pages', {
      parameters: pages(fileType(describing), describing),
      answers: {
        200: answered(
          'A page of files',
          objectOf({
            data: arrayOf(file(describing)),
            meta: objectOf({ pagination: paginationMeta(describing) }, []),
          }),
        ),
      },
      groups: ['query'],
    }),
  'GET /upload/files/:id': (describing) =>
    op('getFile', 'Read a file', {
      parameters: [NUMBER_IN_PATH, populating(fileType(describing), describing)],
      answers: { 200: one(file(describing)) },
      groups: ['query'],
      codes: ['file-not-found'],
    }),
  'DELETE /upload/files/:id': (describing) =>
    op('deleteFile', 'Delete a file', {
      parameters: [NUMBER_IN_PATH],
      answers: { 200: one(written(describing)) },
      codes: ['file-not-found'],
    }),
};

export const LOCALES: BuiltInTable = {
  'GET /i18n/locales': ({ named }) =>
    opOf('locales')('listLocales', 'The locales of the project', {
      answers: {
        200: answered(
          'Locales, the default one marked',
          arrayOf(
            named('Locale', () =>
              objectOf({
                id: integerSchema,
                documentId: stringSchema,
                name: stringSchema,
                code: stringSchema,
                createdAt: instantSchema,
                updatedAt: instantSchema,
                publishedAt: instantSchema,
                isDefault: booleanSchema,
              }),
            ),
          ),
        ),
      },
    }),
};

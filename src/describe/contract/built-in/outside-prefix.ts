/** What is served outside the content API: probes, metrics, files, pages. */
import { stringSchema } from '../json-schema.js';
import { inHeader, inPath } from '../parameters.js';
import type { JsonSchema, Parameter, ResponseDescription, Schemas } from '../types.js';
import { type BuiltIn, type BuiltInTable, opOf } from './types.js';

const as = (type: string, schema: JsonSchema = stringSchema): Schemas => ({ [type]: schema });
const BINARY: JsonSchema = { ...stringSchema, format: 'binary' };

const condition = (name: string, description: string): Parameter => inHeader(name, stringSchema, description);

const UNCHANGED: ResponseDescription = { description: 'Unchanged since the copy that the client has' };

const op = opOf('server');

const page = (description: string): BuiltIn['answers'] => ({
  200: { description, content: as('text/html') },
});

export const OUTSIDE_PREFIX: BuiltInTable = {
  'GET /_health': () =>
    op('getHealth', 'Whether the process is alive', {
      answers: { 204: { description: 'It is' } },
      frame: [],
    }),
  'GET /_ready': () =>
    op('getReadiness', 'Whether the server is ready to serve requests', {
      answers: {
        204: { description: 'It is' },
        503: { description: 'The server is shutting down, or has no database', content: as('text/plain') },
      },
      frame: [],
    }),
  'GET /metrics': () =>
    op('getMetrics', 'Metrics for Prometheus', {
      answers: { 200: { description: 'Text exposition format 0.0.4', content: as('text/plain') } },
      frame: [],
    }),
  'GET /uploads/:file': () =>
    op('downloadFile', 'An uploaded file', {
      tag: 'files',
      parameters: [
        inPath('file', stringSchema, 'The last part of the `url` of a file'),
        condition('Range', 'The requested range, such as `bytes=0-99`'),
        condition('If-None-Match', 'The `ETag` of the copy that the client has'),
        condition('If-Modified-Since', 'The `Last-Modified` of that copy'),
        condition('If-Range', 'The `Last-Modified` of the version that the range belongs to'),
      ],
      answers: {
        200: { description: 'The file', content: as('application/octet-stream', BINARY) },
        206: { description: 'The range', content: as('application/octet-stream', BINARY) },
        304: UNCHANGED,
        416: { description: 'The file has no such range' },
      },
      frame: ['outer'],
      codes: ['not-found'],
    }),
  'GET /docs': () =>
    op('getDocumentation', 'The API as an interactive page', {
      answers: {
        ...page('The page'),
        302: { description: 'Redirects `/docs/` to `/docs`' },
        304: UNCHANGED,
      },
    }),
  'GET /docs/:file': () =>
    op('getDocumentationFile', 'A file of the page', {
      parameters: [inPath('file', stringSchema, 'Its name')],
      answers: {
        200: { description: 'The file', content: as('application/octet-stream', BINARY) },
        304: UNCHANGED,
      },
      codes: ['not-found'],
    }),
  'GET /': () =>
    op('getFirstPage', 'An overview of the server, for developers', { answers: page('The page') }),
};

/** The server's description of itself. */

import { answered } from '../content.js';
import { booleanSchema, stringSchema } from '../json-schema.js';
import { inHeader, inQuery } from '../parameters.js';
import { type BuiltInTable, opOf } from './types.js';

export const SERVER: BuiltInTable = {
  'GET /openapi.json': () =>
    opOf('server')('getDescription', 'This description, limited to what the caller may do', {
      parameters: [
        inQuery(
          'counts',
          booleanSchema,
          'Include responses to `populate[…][count]=true`, which have numbers in place of entries',
        ),
        inQuery(
          'drafts',
          booleanSchema,
          'Describe the bodies of writes with `status=draft`, which may be incomplete',
        ),
        inHeader(
          'Strapi-Response-Format',
          { ...stringSchema, enum: ['v4'] },
          '`v4`: describe the responses to requests with this header',
        ),
      ],
      answers: { 200: answered('OpenAPI 3.1', { type: 'object' }) },
      codes: ['credential-unknown', 'credentials-invalid', 'token-expired'],
      credentials: ['apiToken', 'userToken'],
    }),
};

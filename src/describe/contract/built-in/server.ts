/** What the server says of itself. */

import { answered } from '../content.js';
import { flag, text } from '../json-schema.js';
import { inHeader, inQuery } from '../parameters.js';
import { type BuiltInTable, opOf } from './types.js';

export const SERVER: BuiltInTable = {
  'GET /openapi.json': () =>
    opOf('server')('getDescription', 'This description, limited to what the caller may do', {
      parameters: [
        inQuery(
          'counts',
          flag,
          'Answers to `populate[…][count]=true` too, which show numbers in the place of entries',
        ),
        inQuery('drafts', flag, 'Bodies of writes with `status=draft`, which need not be complete'),
        inHeader(
          'Strapi-Response-Format',
          { ...text, enum: ['v4'] },
          '`v4`: answers to requests with this header',
        ),
      ],
      answers: { 200: answered('OpenAPI 3.1', { type: 'object' }) },
      codes: ['credential-unknown', 'credentials-invalid', 'token-expired'],
      credentials: ['apiToken', 'userToken'],
    }),
};

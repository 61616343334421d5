/** What the server says of itself. */
import { json } from '../content.js';
import { flag, text } from '../json-schema.js';
import type { BuiltInTable } from './types.js';

export const SERVER: BuiltInTable = {
  'GET /openapi.json': () => ({
    id: 'getDescription',
    tag: 'server',
    summary: 'This description, of what the caller may do',
    parameters: [
      {
        name: 'counts',
        in: 'query',
        description: 'Answers to `populate[…][count]=true` too, which show numbers in the place of entries',
        schema: flag,
      },
      {
        name: 'drafts',
        in: 'query',
        description: 'Bodies of writes with `status=draft`, which need not be complete',
        schema: flag,
      },
      {
        name: 'Strapi-Response-Format',
        in: 'header',
        description: '`v4`: answers to requests with this header',
        schema: { ...text, enum: ['v4'] },
      },
    ],
    answers: { 200: { description: 'OpenAPI 3.1', content: json({ type: 'object' }) } },
    codes: ['credential-unknown', 'credentials-invalid', 'token-expired'],
    credentials: ['apiToken', 'userToken'],
  }),
};

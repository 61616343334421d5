/** Routes of the project's own, which may say of themselves what they take and answer. */
import { type Described, json } from './content.js';
import type { Answer, OwnDescription } from './types.js';

const BODIES: ReadonlySet<string> = new Set(['post', 'put', 'patch']);

const NOTHING: Answer = { description: 'Done, with nothing to say' };

/** Nothing can be said of what code answers, but what it says itself. */
export const describeOwn = (described: OwnDescription, method: string): Described => ({
  verb: '',
  summary: described.summary ?? 'A route of this project',
  ...(described.description === undefined ? {} : { description: described.description }),
  parameters: Object.entries(described.query ?? {}).map(([name, schema]) => ({ name, in: 'query', schema })),
  ...(described.body === undefined && !BODIES.has(method)
    ? {}
    : { body: { required: false, content: json(described.body ?? {}) } }),
  answers: {
    200: { description: 'What its code answers', content: json(described.answer ?? {}) },
    ...(described.answer === undefined ? { 204: NOTHING } : {}),
  },
  groups: ['project', 'one'],
});

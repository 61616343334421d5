import { checkInputKeys } from '../documents/validate/input-keys.js';
import { paramsQuery } from '../query/query.js';
import type { Caller } from '../query/read-plan.js';
import { existingType, modelOf } from '../schema/find.js';
import { objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { callerNow } from './request-parts.js';
import { sanitizeOutput } from './sanitize.js';
import { sanitizeQuery } from './sanitize-query.js';
import type { Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';

const EVERYONE: Caller = { grants: null };

/** With `auth`, which is `ctx.state.auth`, the caller of the running request counts; without it, nobody is refused. */
const callerOf = (options: unknown): Caller => (objectAt(options)['auth'] ? callerNow() : EVERYONE);

/** `strapi.contentAPI`: what the helpers of core controllers do, for any content type. */
export function contentApiOf(live: () => Live): Values {
  const uidOf = (model: unknown): string => String(objectAt(model)['uid']);
  const modelNamed = (uid: string) => modelOf(live().schema, uid) ?? refuse(`contentAPI for ${uid}`);
  const typeNamed = (uid: string) => existingType(live().schema, uid);
  const validateInput = async (data: unknown, model: unknown, options?: unknown): Promise<void> => {
    const entries: readonly unknown[] = Array.isArray(data) ? data : [data];
    for (const entry of entries)
      checkInputKeys(Object(entry), typeNamed(uidOf(model)), live().schema, callerOf(options));
  };
  return withRefused<Values>(
    'contentAPI',
    {
      sanitize: withRefused<Values>(
        'contentAPI.sanitize',
        {
          query: async (query: unknown, model: unknown, options?: unknown) =>
            sanitizeQuery(query, modelNamed(uidOf(model)), {
              schema: live().schema,
              caller: callerOf(options),
            }),
          output: async (data: unknown, model: unknown, options?: unknown) => {
            const { schema, config } = live();
            return sanitizeOutput(data, modelNamed(uidOf(model)), {
              schema,
              caller: callerOf(options),
              componentIds: config.rest.componentIds,
            });
          },
          input: async (data: unknown, model: unknown, options?: unknown) => {
            await validateInput(data, model, options);
            return data;
          },
        },
        'all',
      ),
      validate: withRefused<Values>(
        'contentAPI.validate',
        {
          query: async (query: unknown, model: unknown, options?: unknown) => {
            const type = typeNamed(uidOf(model));
            live().reader.prepare({
              type,
              query: paramsQuery(Object(query), 'rest'),
              caller: callerOf(options),
              target: type.kind === 'singleType' ? 'single' : 'list',
            });
          },
          input: validateInput,
        },
        'all',
      ),
    },
    'all',
  );
}

import type { Config } from '../../config/types.js';
import type { AppEvent } from '../../events/events.js';
import type { Schema } from '../../schema/types.js';
import { didYouMean } from '../../values/nearest.js';

/** The actions that read content. */
const readsOf = ({ contentTypes }: Schema): readonly string[] =>
  [...contentTypes.values()]
    .filter(({ origin }) => origin === 'api')
    .flatMap(({ uid, kind, history, draftAndPublish, storage }) =>
      [
        'find',
        ...(kind === 'singleType' ? [] : ['findOne']),
        ...(history === null ? [] : ['findVersions', 'findVersion']),
        ...(draftAndPublish && !storage ? ['findScheduled'] : []),
      ].map((name) => `${uid}.${name}`),
    );

/**
 * A warning for each action of `rest.cacheControl` that reads no content, and for each role that does not exist:
 * these rules have no effect.
 * @param roles the types of all roles; null: not known
 */
export function adviseCacheControl(
  { rest: { cacheControl } }: Pick<Config, 'rest'>,
  schema: Schema,
  roles: readonly string[] | null,
): readonly AppEvent[] {
  const reads = new Set(readsOf(schema));
  const callers = roles && new Set(['public', 'token', ...roles]);
  return Object.entries(cacheControl).flatMap(([action, rules]): readonly AppEvent[] => {
    if (!reads.has(action))
      return [unused(action, `no read of content has this action${didYouMean(action, reads)}`)];
    if (!callers) return [];
    return Object.keys(rules)
      .filter((role) => !callers.has(role))
      .map((role) => unused(`${action} › ${role}`, `there is no such role${didYouMean(role, callers)}`));
  });
}

const unused = (key: string, reason: string): AppEvent => ({ name: 'cache-rule-unused', key, reason });

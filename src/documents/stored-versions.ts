import { collectionName, statusesOf } from '../schema/stored/collections.js';
import type { ContentType, Schema, Status } from '../schema/types.js';
import type { WriteStep } from '../store/entries/changes.js';
import { oncePer } from '../values/once-per.js';

/** One version of a content type. */
export interface VersionOf {
  readonly type: ContentType;
  readonly status: Status;
}

/** The type and version that each collection holds, by collection name. */
export const versionsOf = oncePer(
  ({ contentTypes }: Schema): ReadonlyMap<string, VersionOf> =>
    new Map(
      [...contentTypes.values()].flatMap((type) =>
        statusesOf(type).map((status) => [collectionName(type, status), { type, status }] as const),
      ),
    ),
);

/** Whether a step only gives an entry a new revision. */
export const isTouch = ({ before, after }: Pick<WriteStep, 'before' | 'after'>): boolean =>
  before !== null &&
  after !== null &&
  Object.keys(before).length === Object.keys(after).length &&
  Object.keys(after).every((name) => name === '_rev' || after[name] === before[name]);

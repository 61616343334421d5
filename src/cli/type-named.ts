import { errors } from '../errors.js';
import type { ContentType, Schema } from '../schema/types.js';
import { didYouMean } from '../values/nearest.js';

/** The content type with this uid or name. */
export function contentTypeNamed({ contentTypes }: Schema, given: string): ContentType {
  const own = [...contentTypes.values()].filter(({ origin }) => origin === 'api');
  const namesOf = ({ uid, singularName, pluralName }: ContentType): readonly string[] => [
    uid,
    singularName,
    pluralName,
  ];
  const found = own.find((type) => namesOf(type).includes(given));
  if (found) return found;
  throw errors.validation(
    'content-type-unknown',
    `Content type ${given} does not exist${didYouMean(given, new Set(own.flatMap(namesOf)))}`,
  );
}

/** Throws if a type keeps no versions. */
export function checkHistory({ uid, history }: ContentType): void {
  if (history) return;
  throw errors.application(
    'history-not-kept',
    `${uid} keeps no versions: its schema file has no options.history`,
  );
}

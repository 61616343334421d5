import type { Callable, Values } from './types.js';
import { withRefused } from './unsupported.js';

const METHODS = [
  'findOne',
  'findMany',
  'count',
  'create',
  'createMany',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'load',
] as const;

/** `strapi.db.entityManager`: the methods of `db.query`, after the uid of the type. */
export const entityManagerOf = (query: (uid: string) => Values): Values =>
  withRefused<Values>(
    'db.entityManager',
    Object.fromEntries(
      METHODS.map((name) => [
        name,
        (uid: string, ...given: unknown[]): unknown => (query(uid)[name] as Callable)(...given),
      ]),
    ),
    'all',
  );

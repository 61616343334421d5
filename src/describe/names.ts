import { pascal } from '../schema/names.js';
import type { Model, Schema } from '../schema/types.js';

/**
 * `Restaurant` for `api::restaurant.restaurant`, `SharedSeo` for `shared.seo`, `UploadFile` for
 * `plugin::upload.file`.
 */
function plainName(model: Model): string {
  if (model.modelType === 'component') return pascal(model.uid);
  const [, api = '', name = ''] = /^\w+::([^.]+)(?:\.(.+))?$/.exec(model.uid) ?? [];
  if (model.origin === 'admin') return `Admin${pascal(api)}`;
  return model.origin === 'api' && (api === name || name === '') ? pascal(name) : pascal(`${api}-${name}`);
}

/** Names of models by uid. */
export type TypeNames = ReadonlyMap<string, string>;

/** A unique TypeScript name for every model. */
export function typeNames(schema: Schema): TypeNames {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const model of [...schema.contentTypes.values(), ...schema.components.values()]) {
    const name = plainName(model);
    const free =
      [name, `${name}Component`, pascal(model.uid)].find((one) => !taken.has(one)) ?? `${name}${taken.size}`;
    taken.add(free);
    names.set(model.uid, free);
  }
  return names;
}

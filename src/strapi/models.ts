import { automaticAttributes } from '../schema/model/system.js';
import type { ContentType, Model, Schema } from '../schema/types.js';
import type { Values } from './types.js';

/** A content type or component as Strapi describes it to code. */
export function describeModel(model: Model): Values {
  const { declared, uid, displayName } = model;
  const name = uid.split('.').at(-1) ?? uid;
  const common = {
    uid,
    modelType: model.modelType,
    modelName: name,
    info: { ...declared.info, displayName },
    pluginOptions: { ...declared.pluginOptions },
  };
  if (model.modelType === 'component')
    return {
      ...common,
      category: uid.split('.')[0],
      collectionName: declared.collectionName,
      options: { ...declared.options },
      attributes: { id: { type: 'increments' }, ...declared.attributes },
    };
  return {
    ...common,
    ...ofType(model),
    collectionName: model.collectionName,
    attributes: {
      ...declared.attributes,
      ...automaticAttributes({ ...model, table: model.collectionName }),
    },
  };
}

function ofType(type: ContentType): Values {
  const [kind, rest = ''] = type.uid.split('::');
  const [owner] = rest.split('.');
  return {
    kind: type.kind,
    ...(kind === 'plugin' ? { plugin: owner } : { apiName: owner }),
    info: {
      ...type.declared.info,
      singularName: type.singularName,
      pluralName: type.pluralName,
      displayName: type.displayName,
    },
    options: { ...type.declared.options, draftAndPublish: type.draftAndPublish },
  };
}

/** All of a kind by uid, each described when it is first asked for. */
export function describedModels(models: Schema['contentTypes'] | Schema['components']): Values {
  const made = new Map<string, Values>();
  return Object.defineProperties(
    {},
    Object.fromEntries(
      [...models].map(([uid, model]) => [
        uid,
        {
          enumerable: true,
          get: () => {
            const known = made.get(uid) ?? describeModel(model);
            made.set(uid, known);
            return known;
          },
        },
      ]),
    ),
  );
}

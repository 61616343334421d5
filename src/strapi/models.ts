import { modelOf } from '../schema/find.js';
import { automaticAttributes } from '../schema/model/system.js';
import type { ContentType, Model, Schema } from '../schema/types.js';
import { copyOf, objectAt } from '../values/plain-object.js';
import { type ChangedModel, changedModel } from './schema-changes.js';
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

/** The models as `strapi` describes them to code, which may change them until the schema is made of them. */
export class Descriptions {
  readonly contentTypes: Values;
  readonly components: Values;
  private readonly made = new Map<string, { readonly now: Values; was: Values }>();

  constructor(private readonly schema: Schema) {
    this.contentTypes = this.allOf(schema.contentTypes);
    this.components = this.allOf(schema.components);
  }

  /** What is described by this name; undefined if there is none. */
  of(uid: string): Values | undefined {
    const known = this.made.get(uid);
    if (known) return known.now;
    const model = modelOf(this.schema, uid);
    if (!model) return undefined;
    const now = copyOf(describeModel(model));
    this.made.set(uid, { now, was: copyOf(now) });
    return now;
  }

  /** `strapi.customFields.register`: as in Strapi, attributes of this kind have the type that it is stored as. */
  readonly registerFields = (given: unknown): void => {
    for (const field of [given].flat()) {
      const { name, plugin, type } = objectAt(field);
      const uid = plugin === undefined ? `global::${name}` : `plugin::${plugin}.${name}`;
      for (const model of [...Object.values(this.contentTypes), ...Object.values(this.components)])
        for (const attribute of Object.values(objectAt(model, 'attributes')))
          if (objectAt(attribute)['customField'] === uid) Object.assign(Object(attribute), { type });
    }
  };

  /** What code has changed since this was last asked. */
  takeChanges(): readonly (readonly [Model, ChangedModel])[] {
    return [...this.made].flatMap(([uid, one]) => {
      const model = modelOf(this.schema, uid);
      const changed = changedModel(one.was, one.now);
      one.was = copyOf(one.now);
      return model && changed ? [[model, changed] as const] : [];
    });
  }

  /** All of a kind by uid, each described when it is first asked for. */
  private allOf(models: ReadonlyMap<string, Model>): Values {
    const described = [...models.keys()].map((uid) => [uid, { enumerable: true, get: () => this.of(uid) }]);
    return Object.defineProperties({}, Object.fromEntries(described));
  }
}

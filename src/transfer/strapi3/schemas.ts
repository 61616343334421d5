import type { PlainObject } from '../../values/plain-object.js';
import { type ImportProblem, moved, type SourceSchema } from '../source/types.js';
import type { Known, Strapi3 } from './context.js';
import { automaticIn, isAutomatic, NOT_OURS } from './fields.js';
import type { Model3 } from './models.js';
import { pluralOf } from './names.js';

/** The models of the project as Strapi 5 schema files, and what had to be changed. */
export function schemasOf(context: Strapi3): {
  readonly schemas: readonly SourceSchema[];
  readonly problems: readonly ImportProblem[];
} {
  const collections = new Set<string>();
  const schemas = [...context.types, ...context.components.values()].map((known): SourceSchema => {
    const { model, uid } = known;
    return {
      uid,
      modelType: model.isComponent ? 'component' : 'contentType',
      content: model.isComponent ? componentOf(known) : typeOf(known, collections),
    };
  });
  const problems = [...context.byUid.values()].flatMap((known) => problemsOf(known));
  return { schemas, problems };
}

const attributesOf = ({ fields }: Known): Readonly<Record<string, PlainObject>> =>
  Object.fromEntries([...fields.values()].map(({ field, schema }) => [field.name, schema]));

const COLLECTION = /^[A-Za-z][-_0-9A-Za-z]*$/;

function typeOf(known: Known, taken: Set<string>): PlainObject {
  const { model, uid } = known;
  const singularName = uid.slice(uid.lastIndexOf('.') + 1);
  const keeps = COLLECTION.test(model.collection) && !taken.has(model.collection);
  taken.add(model.collection);
  return {
    kind: model.kind,
    ...(keeps && { collectionName: model.collection }),
    info: {
      singularName,
      pluralName: pluralOf(singularName),
      displayName: model.displayName,
      ...(model.description !== '' && { description: model.description }),
    },
    options: {
      draftAndPublish: model.draftAndPublish,
      ...(model.populateCreatorFields && { populateCreatorFields: true }),
      ...privateOf(model),
      strapi3: { globalId: model.globalId, timestamps: model.timestamps ?? false },
    },
    pluginOptions: model.localized ? { i18n: { localized: true } } : {},
    attributes: attributesOf(known),
  };
}

/** The automatic attributes that are private; the model's own say so themselves. */
function privateOf(model: Model3): PlainObject {
  const automatic = automaticIn(model);
  const privateAttributes = model.privateAttributes.flatMap((key) => automatic.get(key) ?? []);
  return privateAttributes.length > 0 ? { privateAttributes } : {};
}

const componentOf = (known: Known): PlainObject => ({
  ...(COLLECTION.test(known.model.collection) && { collectionName: known.model.collection }),
  info: { displayName: known.model.displayName },
  options: {},
  attributes: attributesOf(known),
});

function problemsOf({ model, uid, fields }: Known): readonly ImportProblem[] {
  const renamed = [...fields].flatMap(([key, { problem }]) =>
    problem === undefined ? [] : [[key, problem] as const],
  );
  const omitted = Object.keys(model.attributes).filter(
    (key) => !fields.has(key) && !isAutomatic(model, key) && !NOT_OURS.has(`${model.uid} ${key}`),
  );
  return [
    ...renamed.map(([key, why]): ImportProblem => moved('schema', `${uid} ${key}`, why)),
    ...omitted.map(
      (key): ImportProblem =>
        moved(
          'schema',
          `${uid} ${key}`,
          'refers to a missing type or component; its values are kept with the entries',
        ),
    ),
  ];
}

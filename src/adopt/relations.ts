import { attributeNamer, capitalized, relationName } from './names.js';
import { type FoundReference, nameOfRelation } from './references.js';
import type { Proposed } from './scalar-attributes.js';

/** Adds a proven reference to the models of both sides. */
export function addRelation(reference: FoundReference): void {
  const { candidate, from, to, path, single, among } = reference;
  const { model, attribute, stored, many, inComponent } = candidate;
  const target = apiUid(to.name.singular);
  const wanted = nameOfRelation(reference);
  const before = model.attributes.get(attribute);
  // An `_id` is fully represented by the relation. Any other field also stays an attribute, unless the
  // relation has its name.
  const replaces = (path === '_id' && !reference.partly) || wanted === attribute;
  if (replaces) {
    model.attributes.delete(attribute);
    delete model.fields[attribute];
    if (model.lists.includes(attribute)) model.lists.splice(model.lists.indexOf(attribute), 1);
  }
  const name = freeName(wanted, model.attributes);
  if (name !== stored) model.fields[name] = stored;
  if (path !== '_id') model.references[name] = path;
  if (reference.texts) model.texts.push(name);
  const comment =
    reference.probed === 0
      ? 'according to its model; there are no values yet'
      : `${reference.found} of ${reference.probed} values match a document${
          reference.repeated > 0 ? `; repeated values of ${path} there: ${reference.repeated}` : ''
        }`;
  const more = {
    ...(before?.['required'] === true && !among && { required: true }),
    ...(before?.['private'] === true && { private: true }),
    pluginOptions: { mangrove: { comment } },
  };
  if (inComponent) {
    model.attributes.set(name, {
      type: 'relation',
      relation: many ? 'oneToMany' : 'oneToOne',
      target,
      ...more,
    });
    return;
  }
  const kind = many ? 'manyToMany' : single ? 'oneToOne' : 'manyToOne';
  const plural = relationName(single ? from.name.singular : from.name.plural, false);
  const others = to.findings.root.attributes;
  const inverse = freeName(
    reference.inverse ?? (from === to || others.has(plural) ? `${plural}By${capitalized(name)}` : plural),
    others,
  );
  model.attributes.set(name, { type: 'relation', relation: kind, target, inversedBy: inverse, ...more });
  const back: Proposed = {
    type: 'relation',
    relation: { manyToMany: 'manyToMany', manyToOne: 'oneToMany', oneToOne: 'oneToOne' }[kind],
    target: apiUid(from.name.singular),
    mappedBy: name,
  };
  others.set(inverse, back);
}

export const apiUid = (singular: string): string => `api::${singular}.${singular}`;

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  const nameOf = attributeNamer();
  for (const name of taken.keys()) nameOf(name);
  return nameOf(wanted);
}

import { dbRefPath } from '../schema/stored/paths.js';
import type { FoundReference } from './inspected.js';
import { attributeNamer, capitalized, relationName } from './names.js';
import { nameOfRelation } from './references.js';
import { referring } from './seen.js';

/** Adds proven references to the models of both sides. What is stored takes its name first. */
export function addRelations(references: readonly FoundReference[]): void {
  const addInverses = references.map(addReferring);
  for (const addInverse of addInverses) addInverse();
}

/** Adds the side that is stored, and returns how to add the other. Components have no other side. */
function addReferring(reference: FoundReference): () => void {
  const { candidate, from, to, path, among } = reference;
  const { model, attribute, stored, many, inComponent } = candidate;
  const { seen } = from.findings;
  const place = dbRefPath(candidate.path) ?? candidate.path;
  seen[place] = referring(seen[place] ?? '', `${to.facts.name}.${path}`);
  const wanted = nameOfRelation(reference);
  const before = model.attributes.get(attribute);
  // An `_id` is fully represented by the relation. Any other field also stays an attribute, unless the
  // relation has its name.
  const replaces = (path === '_id' && !reference.partly) || wanted === attribute;
  if (replaces) {
    model.attributes.delete(attribute);
    delete model.fields[attribute];
    delete model.integers[attribute];
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
  const relation = inComponent ? (many ? 'oneToMany' : 'oneToOne') : kindOf(reference);
  const type = { type: 'relation', relation, target: apiUid(to.name.singular) };
  model.attributes.set(name, { ...type, ...more });
  return () => {
    if (!inComponent)
      model.attributes.set(name, { ...type, inversedBy: addInverse(reference, name), ...more });
  };
}

const kindOf = ({ candidate, single }: FoundReference): keyof typeof INVERSE =>
  candidate.many ? 'manyToMany' : single ? 'oneToOne' : 'manyToOne';

const INVERSE = { manyToMany: 'manyToMany', manyToOne: 'oneToMany', oneToOne: 'oneToOne' } as const;

/** Adds the side that is not stored, and returns its name. */
function addInverse(reference: FoundReference, name: string): string {
  const { from, to, single } = reference;
  const others = to.findings.root.attributes;
  const plural = relationName(single ? from.name.singular : from.name.plural, false);
  const inverse = freeName(
    reference.inverse ?? (from === to || others.has(plural) ? `${plural}By${capitalized(name)}` : plural),
    others,
  );
  others.set(inverse, {
    type: 'relation',
    relation: INVERSE[kindOf(reference)],
    target: apiUid(from.name.singular),
    mappedBy: name,
  });
  return inverse;
}

export const apiUid = (singular: string): string => `api::${singular}.${singular}`;

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  const nameOf = attributeNamer();
  for (const name of taken.keys()) nameOf(name);
  return nameOf(wanted);
}

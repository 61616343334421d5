import { isDeepStrictEqual } from 'node:util';
import type { ModelChange, SchemaFile } from '../schema/files/read.js';
import { SYSTEM_TYPES } from '../schema/model/system.js';
import type { ContentType, Model } from '../schema/types.js';
import { isObject, isTexts, objectAt, type PlainObject } from '../values/plain-object.js';
import type { Values } from './types.js';
import { refuse } from './unsupported.js';

/** What code has changed in the description of a model: the values by name that are there now. */
export interface ChangedModel {
  readonly was: PlainObject;
  readonly sections: ModelChange['sections'];
  /** What belongs to no section, such as its kind. */
  readonly others: PlainObject;
  /** Undefined: it has no others than before. */
  readonly lifecycles?: unknown;
}

/** Members that a description has or may get; what code adds beyond them means nothing to Strapi either. */
const OTHERS = ['uid', 'kind', 'collectionName', 'modelType', 'modelName', 'indexes', 'foreignKeys'];
/** What routes and collections are named by. */
const NAMES = ['singularName', 'pluralName'];

function changedValues(was: PlainObject, is: PlainObject): Values {
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(was[name], is[name]));
  return Object.fromEntries(changed.map((name) => [name, is[name]]));
}

/** An attribute without what says nothing: that it is not private, and whether the admin panel may change it. */
function saidOf(attribute: unknown): unknown {
  if (!isObject(attribute)) return attribute;
  const { configurable: _, private: hidden, ...said } = attribute;
  return hidden === true ? { ...said, private: true } : said;
}

/** What code has changed in a description; null: nothing that counts. */
export function changedModel(was: PlainObject, is: PlainObject): ChangedModel | null {
  const section = (name: string): Values => changedValues(objectAt(was, name), objectAt(is, name));
  const attributes = (of: PlainObject): Values =>
    Object.fromEntries(
      Object.entries(objectAt(of, 'attributes')).map(([name, attribute]) => [name, saidOf(attribute)]),
    );
  const sections = {
    attributes: changedValues(attributes(was), attributes(is)),
    options: section('options'),
    pluginOptions: section('pluginOptions'),
    info: section('info'),
  };
  const { lifecycles, ...rest } = changedValues(was, is);
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => OTHERS.includes(name)));
  const isNone = [...Object.values(sections), others].every((values) => Object.keys(values).length === 0);
  if (isNone && lifecycles === undefined) return null;
  return { was: { ...was, attributes: attributes(was) }, sections, others, lifecycles };
}

interface Parted {
  readonly own: Values;
  /** All that are private by the option of this name; null: it has not changed. */
  readonly privateAttributes: readonly string[] | null;
}

/** The changed attributes; of those that Strapi adds to every type, only that they are private now. */
function partedAttributes(
  { modelType }: Model,
  { was, sections }: ChangedModel,
  cannot: (attribute: string) => never,
): Parted {
  const own: Values = {};
  const hidden: string[] = [];
  for (const [name, value] of Object.entries(sections.attributes)) {
    const isAutomatic = modelType === 'component' ? name === 'id' : Object.hasOwn(SYSTEM_TYPES, name);
    if (!isAutomatic) own[name] = value;
    else if (isDeepStrictEqual({ ...objectAt(was, 'attributes', name), private: true }, value))
      hidden.push(name);
    else cannot(name);
  }
  const had = objectAt(was, 'options')['privateAttributes'];
  const { privateAttributes: has = had } = sections.options;
  if (hidden.length === 0 && has === had) return { own, privateAttributes: null };
  return { own, privateAttributes: [...(isTexts(has) ? has : []), ...hidden] };
}

/** What the schema of a type or component of the project becomes. @throws Unsupported if it cannot be changed like that */
export function changeOfOwn(model: Model, changed: ChangedModel): ModelChange {
  const at = model.modelType === 'component' ? `components['${model.uid}']` : `contentType('${model.uid}')`;
  const names = [
    ...Object.keys(changed.others),
    ...NAMES.filter((name) => name in changed.sections.info).map((name) => `info.${name}`),
  ];
  if (names[0] !== undefined) refuse(`a change of ${at}.${names[0]}`);
  const { own, privateAttributes } = partedAttributes(model, changed, (name) =>
    refuse(`a change of ${at}.attributes.${name}`),
  );
  const { sections } = changed;
  const options = { ...sections.options, ...(privateAttributes && { privateAttributes }) };
  return { uid: model.uid, sections: { ...sections, attributes: own, options } };
}

/** Whether an attribute was changed as a schema file of an extension may change it: nothing is taken away. */
const isWithin = (was: PlainObject, is: PlainObject): boolean =>
  was['type'] === is['type'] &&
  was['type'] !== 'relation' &&
  !(was['private'] === true && is['private'] !== true) &&
  Object.keys(was).every((option) => is[option] !== undefined);

/** What code adds to a type of a plugin, as a schema file would add it. @throws Unsupported if it changes anything else */
export function additionTo(type: ContentType, changed: ChangedModel, file: string): SchemaFile {
  const { uid, singularName: name } = type;
  const plugin = uid.slice(uid.indexOf('::') + 2, uid.indexOf('.'));
  const cannot = (what: string): never =>
    refuse(
      type.origin === 'admin'
        ? `a change of contentType('${uid}')`
        : `plugin('${plugin}').contentType('${name}') with other ${what}`,
    );
  const { was, sections, others } = changed;
  const { privateAttributes: _, ...options } = sections.options;
  const { singularName, pluralName } = sections.info;
  // Where accounts and files are stored is not for a schema to say.
  const { collectionName: __, ...rest } = others;
  const fixed = [rest, options, sections.pluginOptions, { singularName, pluralName }];
  if (type.origin === 'admin' || fixed.flatMap(Object.values).some((value) => value !== undefined))
    cannot('options');
  // A schema in the place of the described one leaves out what every type has.
  const named = Object.entries(sections.attributes).filter(
    ([one, value]) => value !== undefined || !Object.hasOwn(SYSTEM_TYPES, one),
  );
  const { own: attributes, privateAttributes } = partedAttributes(
    type,
    { ...changed, sections: { ...sections, attributes: Object.fromEntries(named) } },
    (one) => cannot(`options of ${one}`),
  );
  const had = objectAt(was, 'attributes');
  for (const [one, value] of Object.entries(attributes))
    if (Object.hasOwn(had, one) && !isWithin(objectAt(had[one]), objectAt(value)))
      cannot(`options of ${one}`);
  const content = { attributes, ...(privateAttributes && { options: { privateAttributes } }) };
  return { kind: 'extension', uid, name, file: `${file} › ${name}`, content };
}

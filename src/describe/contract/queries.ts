/** `sort`, `fields` and `populate` of a type (rules A.12, A.13, C.1), by its attributes. */
import type { Attribute, Component, ContentType, Model } from '../../schema/types.js';
import { type Describing, existing, shownOf } from './describing.js';
import { polymorphicTargets } from './entries.js';
import { filters, targetOf } from './filters.js';
import { anyOf, flag, listOf, openRecord, record, text } from './json-schema.js';
import type { JsonSchema, Schemas } from './types.js';

const escaped = (name: string): string => name.replace(/[.$]/g, '\\$&');

const scalarNames = (model: Model, describing: Describing): readonly string[] =>
  shownOf(model, describing).flatMap(({ kind, name }) => (kind === 'scalar' ? [name] : []));

/** `fields`: the attributes to show, beside the keys that are always shown. */
export const fields = (model: Model, describing: Describing): JsonSchema =>
  describing.named(`${describing.nameOf(model)}Fields`, `fields ${model.uid}`, () => {
    const names = scalarNames(model, describing);
    const one = `(${names.map(escaped).join('|')}|\\*)`;
    return anyOf(listOf({ ...text, enum: [...names, '*'] }), {
      ...text,
      pattern: `^\\s*${one}(\\s*,\\s*${one})*\\s*$`,
      description: 'Names with commas between',
    });
  });

const ORDER: JsonSchema = { ...text, enum: ['asc', 'desc', 'ASC', 'DESC'] };

/** `sort`: by attributes of its own, and of what single values, components and relations lead to. */
export const sort = (model: Model, describing: Describing): JsonSchema => {
  const name = describing.nameOf(model);
  const object = sortObject(model, describing);
  return describing.named(`${name}Sort`, `sort ${model.uid}`, () => {
    const names = scalarNames(model, describing);
    const paths = shownOf(model, describing)
      .filter((attribute) => targetOf(attribute, describing) !== null)
      .map((attribute) => `${escaped(attribute.name)}(\\.\\w+)+`);
    const one = `\\s*(${[...names.map(escaped), ...paths].join('|')})(:([aA][sS][cC]|[dD][eE][sS][cC]))?\\s*`;
    const keys = describing.named(`${name}SortKey`, `sort key ${model.uid}`, () => ({
      ...text,
      enum: names.flatMap((key) => [key, `${key}:asc`, `${key}:desc`]),
    }));
    const written = {
      ...text,
      pattern: `^${one}(,${one})*$`,
      description:
        'Attributes with commas between, each with `:asc` or `:desc`; a dot leads into what it refers to',
    };
    return anyOf(keys, written, listOf(anyOf(keys, written, object)), object);
  });
};

const sortObject = (model: Model, describing: Describing): JsonSchema =>
  describing.named(`${describing.nameOf(model)}SortObject`, `sort object ${model.uid}`, () =>
    record(
      Object.fromEntries(
        shownOf(model, describing).flatMap((attribute) => {
          const target = targetOf(attribute, describing);
          if (target) return [[attribute.name, sortObject(target, describing)]];
          return attribute.kind === 'scalar' ? [[attribute.name, ORDER]] : [];
        }),
      ),
      [],
    ),
  );

/** `populate`: `*`, names and paths, or an object that says of each what is shown of it. */
export const populate = (model: Model, describing: Describing): JsonSchema =>
  describing.named(`${describing.nameOf(model)}Populate`, `populate ${model.uid}`, () => {
    const names = populatable(model, describing).map(({ name }) => escaped(name));
    const path = `(${names.join('|')})(\\.\\w+)*`;
    const own: JsonSchema =
      names.length === 0
        ? { ...text, enum: ['*', ''] }
        : {
            ...text,
            pattern: `^(\\*|\\s*${path}(\\s*,\\s*${path})*\\s*)?$`,
            description: '`*`, or attributes with commas between; a dot leads on',
          };
    return anyOf(own, listOf(own), populateObject(model, describing));
  });

const populatable = (model: Model, describing: Describing): readonly Attribute[] =>
  shownOf(model, describing).filter(({ kind }) => kind !== 'scalar');

const populateObject = (model: Model, describing: Describing): JsonSchema =>
  describing.named(`${describing.nameOf(model)}PopulateObject`, `populate object ${model.uid}`, () =>
    record(
      Object.fromEntries(
        populatable(model, describing).map((attribute) => [
          attribute.name,
          anyOf(flag, attributePopulate(attribute, describing)),
        ]),
      ),
      [],
    ),
  );

const COUNT = { ...flag, description: 'Shows how many there are, instead of them' };

const count = ({ form }: Describing): Schemas => (form.counts ? { count: COUNT } : {});

function attributePopulate(attribute: Attribute, describing: Describing): JsonSchema {
  const target = targetOf(attribute, describing);
  if (target) return populateOptions(target, describing);
  const fragments = fragmentsOf(attribute, describing);
  return record(
    {
      ...count(describing),
      // Others mean nothing there.
      on: openRecord(
        Object.fromEntries(
          fragments.map((model) => [model.uid, anyOf(flag, populateOptions(model, describing))]),
        ),
        [],
      ),
      populate: { ...text, enum: ['*'] },
    },
    [],
  );
}

const fragmentsOf = (attribute: Attribute, describing: Describing): readonly (Component | ContentType)[] =>
  attribute.kind === 'zone'
    ? attribute.components.map((uid) => existing(uid, describing) as Component)
    : polymorphicTargets(describing);

/** What may be said of something populated (rules C.1). */
const populateOptions = (model: Model, describing: Describing): JsonSchema =>
  describing.named(`${describing.nameOf(model)}PopulateOptions`, `populate options ${model.uid}`, () =>
    record(
      {
        ...count(describing),
        fields: fields(model, describing),
        filters: filters(model, describing),
        populate: populate(model, describing),
        sort: sort(model, describing),
      },
      [],
    ),
  );

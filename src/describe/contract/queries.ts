/** `sort`, `fields` and `populate` of a type, by its attributes. */

import { existingComponent, targetOf } from '../../schema/find.js';
import { pascal } from '../../schema/names.js';
import type { Attribute, Component, ContentType, Model } from '../../schema/types.js';
import { attributesFor, type Describing } from './describing.js';
import { polymorphicTargets } from './entries.js';
import { filters } from './filters.js';
import {
  anyOf,
  arrayOf,
  booleanSchema,
  exactly,
  objectOf,
  openObjectOf,
  stringSchema,
} from './json-schema.js';
import type { JsonSchema, Schemas } from './types.js';

const escaped = (name: string): string => name.replace(/[.$]/g, '\\$&');

const scalarNames = (model: Model, describing: Describing): readonly string[] =>
  attributesFor(model, describing).flatMap(({ kind, name }) => (kind === 'scalar' ? [name] : []));

/** `fields`: the attributes to return in addition to the keys. */
export const fields = (model: Model, describing: Describing): JsonSchema =>
  describing.ofModel(model, 'Fields', () => {
    const names = scalarNames(model, describing);
    const one = `(${names.map(escaped).join('|')}|\\*)`;
    const name = describing.ofModel(model, 'Field', () => ({
      ...stringSchema,
      enum: [...names, '*'],
    }));
    return anyOf(arrayOf(name), {
      ...stringSchema,
      pattern: `^\\s*${one}(\\s*,\\s*${one})*\\s*$`,
      description: 'Comma-separated names',
    });
  });

const order = ({ named }: Describing): JsonSchema =>
  named('SortOrder', () => ({ ...stringSchema, enum: ['asc', 'desc'] }));

/** `sort`: by the type's own attributes and those of components and relations. */
export const sort = (model: Model, describing: Describing): JsonSchema => {
  const object = sortObject(model, describing);
  return describing.ofModel(model, 'Sort', () => {
    const names = scalarNames(model, describing);
    const paths = attributesFor(model, describing)
      .filter((attribute) => targetOf(describing.schema, attribute))
      .map((attribute) => `${escaped(attribute.name)}(\\.\\w+)+`);
    const one = `\\s*(${[...names.map(escaped), ...paths].join('|')})(:([aA][sS][cC]|[dD][eE][sS][cC]))?\\s*`;
    const keys = describing.ofModel(model, 'SortKey', () => ({
      ...stringSchema,
      enum: names.flatMap((key) => [key, `${key}:asc`, `${key}:desc`]),
    }));
    const written = {
      ...stringSchema,
      pattern: `^${one}(,${one})*$`,
      description:
        'Comma-separated attributes, each with `:asc` or `:desc`; a dot leads into the related type',
    };
    return anyOf(keys, written, arrayOf(anyOf(keys, written, object)), object);
  });
};

const sortObject = (model: Model, describing: Describing): JsonSchema =>
  describing.ofModel(model, 'SortObject', () =>
    objectOf(
      Object.fromEntries(
        attributesFor(model, describing).flatMap((attribute) => {
          const target = targetOf(describing.schema, attribute);
          if (target) return [[attribute.name, sortObject(target, describing)]];
          return attribute.kind === 'scalar' ? [[attribute.name, order(describing)]] : [];
        }),
      ),
      [],
    ),
  );

/** `populate`: `*`, names and paths, or an object with options for each attribute. */
export const populate = (model: Model, describing: Describing): JsonSchema =>
  describing.ofModel(model, 'Populate', () => {
    const names = populatable(model, describing).map(({ name }) => escaped(name));
    const path = `(${names.join('|')})(\\.\\w+)*`;
    const own: JsonSchema =
      names.length === 0
        ? describing.named('PopulateNothing', () => ({ ...stringSchema, enum: ['*', ''] }))
        : {
            ...stringSchema,
            pattern: `^(\\*|\\s*${path}(\\s*,\\s*${path})*\\s*)?$`,
            description: '`*`, or comma-separated attributes; a dot leads to nested ones',
          };
    return anyOf(own, arrayOf(own), populateObject(model, describing));
  });

const populatable = (model: Model, describing: Describing): readonly Attribute[] =>
  attributesFor(model, describing).filter(({ kind }) => kind !== 'scalar');

const populateObject = (model: Model, describing: Describing): JsonSchema =>
  describing.ofModel(model, 'PopulateObject', () =>
    objectOf(
      Object.fromEntries(
        populatable(model, describing).map((attribute) => [
          attribute.name,
          anyOf(booleanSchema, attributePopulate(model, attribute, describing)),
        ]),
      ),
      [],
    ),
  );

const COUNT = { ...booleanSchema, description: 'Returns the number of entries instead of the entries' };

const count = ({ form }: Describing): Schemas => (form.counts ? { count: COUNT } : {});

function attributePopulate(model: Model, attribute: Attribute, describing: Describing): JsonSchema {
  const target = targetOf(describing.schema, attribute);
  if (target) return populateOptions(target, describing);
  const name = `${describing.nameOf(model)}${pascal(attribute.name)}Populate`;
  const identity = `populate ${model.uid} ${attribute.name}`;
  const on = () =>
    describing.named(`${name}On`, () => fragmentsPopulate(attribute, describing), `${identity} on`);
  const make = () => objectOf({ ...count(describing), on: on(), populate: exactly('*') }, []);
  return describing.named(name, make, identity);
}

/** By the uid of a component or target type; other uids have no effect. */
const fragmentsPopulate = (attribute: Attribute, describing: Describing): JsonSchema =>
  openObjectOf(
    Object.fromEntries(
      fragmentsOf(attribute, describing).map((model) => [
        model.uid,
        anyOf(booleanSchema, populateOptions(model, describing)),
      ]),
    ),
    [],
  );

const fragmentsOf = (attribute: Attribute, describing: Describing): readonly (Component | ContentType)[] =>
  attribute.kind === 'zone'
    ? attribute.components.map((uid) => existingComponent(describing.schema, uid))
    : polymorphicTargets(describing);

/** The options of a populated attribute. */
const populateOptions = (model: Model, describing: Describing): JsonSchema =>
  describing.ofModel(model, 'PopulateOptions', () =>
    objectOf(
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

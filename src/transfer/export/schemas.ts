import { automaticAttributes } from '../../schema/automatic.js';
import { builtInSources } from '../../schema/builtin.js';
import type { ContentType, Model, Schema } from '../../schema/types.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';
import { BUILT_IN_FORMS } from './built-in.js';

const capital = (text: string): string =>
  text
    .split(/[-_.]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/** The lines of `schemas` (rules K.3): the project's files with what Strapi adds, and the built-in types with their extensions. */
export function schemaLines(schema: Schema, files: ReadonlyMap<string, unknown>): readonly object[] {
  const types = [...schema.contentTypes.values()].filter(({ origin }) => origin !== 'admin');
  return [
    ...Object.keys(BUILT_IN_FORMS).map((uid) => builtInLine(uid, attributesOf(files.get(uid)))),
    ...types.filter(({ uid }) => !BUILT_IN_FORMS[uid]).map((type) => typeLine(type, files.get(type.uid))),
    ...[...schema.components.values()].map((model) => componentLine(model, files.get(model.uid))),
  ];
}

const attributesOf = (file: unknown) => objectAt(file, 'attributes') as Readonly<Record<string, PlainObject>>;

function componentLine({ uid }: Model, file: unknown): object {
  const [, modelName = ''] = uid.split('.');
  return {
    collectionName: `components_${uid.replace('.', '_').replaceAll('-', '_')}s`,
    ...objectAt(file),
    attributes: attributesOf(file),
    modelType: 'component',
    modelName,
    uid,
    globalId: `Component${capital(uid)}`,
  };
}

function typeLine(type: ContentType, file: unknown): object {
  const { kind: _, collectionName, ...written } = objectAt(file);
  const { uid, kind, singularName, localized } = type;
  const table = typeof collectionName === 'string' ? collectionName : type.collectionName;
  return {
    collectionName: table,
    ...written,
    attributes: { ...attributesOf(file), ...automaticAttributes(uid, table, localized) },
    kind,
    modelType: 'contentType',
    modelName: singularName,
    uid,
    globalId: capital(singularName),
  };
}

const HIDDEN = { 'content-manager': { visible: false }, 'content-type-builder': { visible: false } };

function builtInLine(uid: string, extension: Readonly<Record<string, PlainObject>>): object {
  const form = BUILT_IN_FORMS[uid];
  const known = builtInSources.find((source) => source.uid === uid)?.raw;
  const [plugin = '', modelName = ''] = uid.slice('plugin::'.length).split('.');
  const own = { ...known?.attributes, ...form?.attributes } as Readonly<Record<string, PlainObject>>;
  const attributes = Object.fromEntries(
    Object.keys(own).map((name) => [
      name,
      {
        ...known?.attributes[name],
        ...(form?.fixed && { configurable: false }),
        ...form?.attributes?.[name],
      },
    ]),
  );
  return {
    collectionName: form?.table,
    info: { ...known?.info, ...form?.info },
    options: { draftAndPublish: false, ...form?.options },
    ...(form?.hidden && { pluginOptions: HIDDEN }),
    attributes: { ...attributes, ...extension, ...automaticAttributes(uid, form?.table ?? '', false) },
    kind: 'collectionType',
    modelType: 'contentType',
    modelName,
    uid,
    plugin,
    globalId: form?.globalId,
  };
}

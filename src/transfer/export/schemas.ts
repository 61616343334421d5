import { builtInSources } from '../../schema/files/builtin.js';
import { attributesIn } from '../../schema/files/raw.js';
import { automaticAttributes } from '../../schema/model/system.js';
import { pascal } from '../../schema/names.js';
import type { ContentType, Model, Schema } from '../../schema/types.js';
import { FILE_UID, FOLDER_UID, LOCALE_UID, PERMISSION_UID, ROLE_UID, USER_UID } from '../../schema/uids.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';

/**
 * What Strapi's own schema of a built-in type contains in addition to ours, so that it finds no differences.
 */
interface BuiltInForm {
  readonly table: string;
  readonly globalId: string;
  readonly info?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Whether its attributes are marked as fixed. */
  readonly fixed: boolean;
  readonly hidden: boolean;
  /** Attributes with different keys; an attribute that we do not have is complete. */
  readonly attributes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const filled = { minLength: 1 };

const BUILT_IN_FORMS: Readonly<Record<string, BuiltInForm>> = {
  [FILE_UID]: {
    table: 'files',
    globalId: 'UploadFile',
    info: { description: '' },
    fixed: true,
    hidden: true,
    attributes: {
      size: { type: 'decimal' },
      related: { writable: undefined },
      folder: { configurable: undefined },
      folderPath: { ...filled, required: true, configurable: undefined },
    },
  },
  [FOLDER_UID]: {
    table: 'upload_folders',
    globalId: 'UploadFolder',
    fixed: false,
    hidden: true,
    attributes: { name: filled, path: filled },
  },
  [LOCALE_UID]: {
    table: 'i18n_locale',
    globalId: 'I18NLocale',
    info: {
      singularName: 'locale',
      pluralName: 'locales',
      collectionName: 'locales',
      displayName: 'Locale',
      description: '',
    },
    fixed: true,
    hidden: true,
    attributes: {
      name: { type: 'string', min: 1, max: 50 },
      code: { type: 'string', unique: true },
    },
  },
  [PERMISSION_UID]: {
    table: 'up_permissions',
    globalId: 'UsersPermissionsPermission',
    info: {
      name: 'permission',
      description: '',
      singularName: 'permission',
      pluralName: 'permissions',
      displayName: 'Permission',
    },
    fixed: true,
    hidden: true,
    attributes: {
      action: { type: 'string', required: true },
      role: { type: 'relation', relation: 'manyToOne', target: ROLE_UID, inversedBy: 'permissions' },
    },
  },
  [ROLE_UID]: {
    table: 'up_roles',
    globalId: 'UsersPermissionsRole',
    info: { name: 'role', description: '' },
    fixed: true,
    hidden: true,
    attributes: {
      permissions: { type: 'relation', relation: 'oneToMany', target: PERMISSION_UID, mappedBy: 'role' },
    },
  },
  [USER_UID]: {
    table: 'up_users',
    globalId: 'UsersPermissionsUser',
    info: { name: 'user', description: '' },
    options: { timestamps: true },
    fixed: true,
    hidden: false,
  },
};

/**
 * The lines of `schemas`: the project's files with Strapi's additions, and the built-in types with their
 * extensions.
 */
export function schemaLines(schema: Schema, files: ReadonlyMap<string, unknown>): readonly object[] {
  const types = [...schema.contentTypes.values()].filter(({ origin }) => origin !== 'admin');
  return [
    ...Object.keys(BUILT_IN_FORMS).map((uid) => builtInLine(uid, attributesIn(files.get(uid)))),
    ...types.filter(({ uid }) => !BUILT_IN_FORMS[uid]).map((type) => typeLine(type, files.get(type.uid))),
    ...[...schema.components.values()].map((model) => componentLine(model, files.get(model.uid))),
  ];
}

function componentLine({ uid }: Model, file: unknown): object {
  const [, modelName = ''] = uid.split('.');
  return {
    collectionName: `components_${uid.replace('.', '_').replaceAll('-', '_')}s`,
    ...objectAt(file),
    attributes: attributesIn(file),
    modelType: 'component',
    modelName,
    uid,
    globalId: `Component${pascal(uid)}`,
  };
}

function typeLine(type: ContentType, file: unknown): object {
  const { kind: _, collectionName, ...written } = objectAt(file);
  const { uid, kind, singularName } = type;
  const table = typeof collectionName === 'string' ? collectionName : type.collectionName;
  return {
    collectionName: table,
    ...written,
    attributes: { ...attributesIn(file), ...automaticAttributes({ ...type, table }) },
    kind,
    modelType: 'contentType',
    modelName: singularName,
    uid,
    globalId: pascal(singularName),
  };
}

const HIDDEN = { 'content-manager': { visible: false }, 'content-type-builder': { visible: false } };

function builtInLine(uid: string, extension: PlainObject): object {
  const form = BUILT_IN_FORMS[uid];
  const known = builtInSources.find((source) => source.uid === uid)?.raw;
  const [plugin = '', modelName = ''] = uid.slice('plugin::'.length).split('.');
  const own = { ...known?.attributes, ...form?.attributes };
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
  const automatic = { uid, table: form?.table ?? '', localized: false, populateCreatorFields: false };
  return {
    collectionName: form?.table,
    info: { ...known?.info, ...form?.info },
    options: { draftAndPublish: false, ...form?.options },
    ...(form?.hidden && { pluginOptions: HIDDEN }),
    attributes: { ...attributes, ...extension, ...automaticAttributes(automatic) },
    kind: 'collectionType',
    modelType: 'contentType',
    modelName,
    uid,
    plugin,
    globalId: form?.globalId,
  };
}

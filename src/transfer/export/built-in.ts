import { FILE_UID, FOLDER_UID, LOCALE_UID, PERMISSION_UID, ROLE_UID, USER_UID } from '../../schema/uids.js';

/** What Strapi's own schema of a built-in type says beyond ours (rules K.3), so that it finds no difference between them. */
interface BuiltInForm {
  readonly table: string;
  readonly globalId: string;
  readonly info?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Its attributes are marked as fixed. */
  readonly fixed: boolean;
  readonly hidden: boolean;
  /** Keys of attributes that differ; an attribute that we do not have is whole. */
  readonly attributes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const filled = { minLength: 1 };

export const BUILT_IN_FORMS: Readonly<Record<string, BuiltInForm>> = {
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

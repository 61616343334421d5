import type { RelationKind } from '../types.js';
import { ADMIN_UID, FILE_UID, FOLDER_UID, ROLE_UID, USER_UID } from '../uids.js';
import { type ModelSource, type RawAttribute, VIRTUAL } from './raw.js';
import type { SchemaFile } from './read.js';

const text: RawAttribute = { type: 'string' };
const secret: RawAttribute = { type: 'string', private: true, searchable: false };
const link = (relation: RelationKind, target: string, other: Partial<RawAttribute>): RawAttribute => ({
  type: 'relation',
  relation,
  target,
  ...other,
});
const flag: RawAttribute = { type: 'boolean', default: false };

interface BuiltIn {
  readonly singularName: string;
  readonly pluralName: string;
  readonly displayName: string;
  readonly collection: string;
  readonly attributes: Readonly<Record<string, RawAttribute>>;
}

/** The types that every project has. */
const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  [FILE_UID]: {
    singularName: 'file',
    pluralName: 'files',
    displayName: 'File',
    collection: 'mangrove.files',
    attributes: {
      name: { type: 'string', required: true },
      alternativeText: { type: 'text' },
      caption: { type: 'text' },
      focalPoint: { type: 'json' },
      width: { type: 'integer' },
      height: { type: 'integer' },
      formats: { type: 'json' },
      hash: { type: 'string', required: true },
      ext: text,
      mime: { type: 'string', required: true },
      /** Kilobytes, with two decimals. */
      size: { type: 'float', required: true },
      url: { type: 'text', required: true },
      previewUrl: { type: 'text' },
      provider: { type: 'string', required: true },
      provider_metadata: { type: 'json' },
      /** The entries that use the file. Not stored: it is the inverse of every media attribute. */
      related: { type: 'relation', relation: 'morphToMany', writable: false, [VIRTUAL]: true },
      folder: link('manyToOne', FOLDER_UID, { inversedBy: 'files', private: true }),
      folderPath: secret,
    },
  },
  [FOLDER_UID]: {
    singularName: 'folder',
    pluralName: 'folders',
    displayName: 'Folder',
    collection: 'mangrove.folders',
    attributes: {
      name: { type: 'string', required: true },
      pathId: { type: 'integer', unique: true, required: true },
      parent: link('manyToOne', FOLDER_UID, { inversedBy: 'children' }),
      children: link('oneToMany', FOLDER_UID, { mappedBy: 'parent' }),
      files: link('oneToMany', FILE_UID, { mappedBy: 'folder' }),
      path: { type: 'string', required: true },
    },
  },
  [USER_UID]: {
    singularName: 'user',
    pluralName: 'users',
    displayName: 'User',
    collection: 'mangrove.users',
    attributes: {
      username: { type: 'string', minLength: 3, unique: true, required: true },
      email: { type: 'email', minLength: 6, required: true },
      provider: text,
      password: { type: 'password', minLength: 6, private: true, searchable: false },
      resetPasswordToken: secret,
      confirmationToken: secret,
      confirmed: flag,
      blocked: flag,
      role: link('manyToOne', ROLE_UID, { inversedBy: 'users' }),
    },
  },
  [ROLE_UID]: {
    singularName: 'role',
    pluralName: 'roles',
    displayName: 'Role',
    collection: 'mangrove.roles',
    attributes: {
      name: { type: 'string', minLength: 3, required: true },
      description: text,
      type: { type: 'string', unique: true },
      users: link('oneToMany', USER_UID, { mappedBy: 'role' }),
    },
  },
  [ADMIN_UID]: {
    singularName: 'user',
    pluralName: 'users',
    displayName: 'User',
    collection: 'mangrove.admins',
    attributes: {
      firstname: text,
      lastname: text,
      username: text,
      email: { type: 'email', required: true, unique: true, private: true },
      password: { type: 'password', private: true, searchable: false },
      resetPasswordToken: secret,
      registrationToken: secret,
      isActive: { ...flag, private: true },
      blocked: { ...flag, private: true },
      preferedLanguage: text,
    },
  },
};

/** The built-in types in the form of files, so that all later steps treat them like any other type. */
export const builtInSources: readonly ModelSource[] = Object.entries(BUILT_IN).map(
  ([uid, { collection, attributes, ...info }]) => ({
    model: 'contentType',
    uid,
    file: `(built in) ${uid}`,
    origin: uid.startsWith('admin::') ? 'admin' : 'plugin',
    folder: null,
    collection,
    raw: { info, attributes },
  }),
);

/** Whether a file extends a type of a plugin that does not exist here; it is left out. */
export const extendsNothing = ({ kind, uid }: Pick<SchemaFile, 'kind' | 'uid'>): boolean =>
  kind === 'extension' && !Object.hasOwn(BUILT_IN, uid);

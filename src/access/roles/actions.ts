import type { Schema } from '../../schema/types.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import { objectAt } from '../../values/plain-object.js';

/** Actions of the built-in routes. */
const PLUGIN_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'plugin::upload.content-api': ['find', 'findOne', 'findPage', 'upload', 'destroy'],
  'plugin::i18n.locales': ['listLocales'],
  'plugin::content-type-builder.content-types': ['getContentTypes', 'getContentType'],
  'plugin::content-type-builder.components': ['getComponents', 'getComponent'],
  'plugin::email.email': ['send'],
  'plugin::users-permissions.auth': [
    'callback',
    'connect',
    'register',
    'forgotPassword',
    'resetPassword',
    'changePassword',
    'emailConfirmation',
    'sendEmailConfirmation',
    'refresh',
    'logout',
    'getSessions',
    'revokeSession',
  ],
  [USER_UID]: ['find', 'findOne', 'count', 'me', 'create', 'update', 'destroy'],
  [ROLE_UID]: ['find', 'findOne', 'createRole', 'updateRole', 'deleteRole'],
  'plugin::users-permissions.permissions': ['getPermissions'],
};

const COLLECTION = ['find', 'findOne', 'create', 'update', 'delete'];
const SINGLE = ['find', 'update', 'delete'];
/** Of types with Draft & Publish; only Mangrove has them. */
const CHANGES = ['publish', 'unpublish', 'discardDraft', 'findScheduled'];
/** Of types that keep versions. */
const VERSIONS = ['findVersions', 'restore'];

/**
 * Every action that can be granted: of content types, built-in routes, and the project's own routes. Without
 * those actions that only Mangrove has and for which `isShown` is false.
 */
export const allActions = (
  schema: Schema,
  own: readonly { readonly action: string | null }[] = [],
  isShown: (action: string) => boolean = () => true,
): readonly string[] => {
  const content = [...schema.contentTypes.values()]
    .filter((type) => type.origin === 'api')
    .flatMap(({ uid, kind, draftAndPublish, history }) => [
      ...(kind === 'singleType' ? SINGLE : COLLECTION).map((name) => `${uid}.${name}`),
      ...[...(draftAndPublish ? CHANGES : []), ...(history ? VERSIONS : [])]
        .map((name) => `${uid}.${name}`)
        .filter(isShown),
    ]);
  const plugins = Object.entries(PLUGIN_ACTIONS).flatMap(([controller, names]) =>
    names.map((name) => `${controller}.${name}`),
  );
  const others = own.flatMap(({ action }) => (action === null ? [] : [action]));
  return [...new Set([...content, ...plugins, ...others])];
};

interface Switch {
  readonly enabled: boolean;
  readonly policy: string;
}
type Controllers = Record<string, Record<string, Switch>>;

/** `{ "api::article": { controllers: { article: { find: { enabled, policy } } } } }`. */
type PermissionTree = Record<string, { controllers: Controllers }>;

const ACTION = /^([^.]+)\.([^.]+)\.([^.]+)$/;

/** All actions as a tree that shows which are granted. */
export const permissionTree = (
  actions: readonly string[],
  held: (action: string) => boolean,
): PermissionTree => {
  const tree: PermissionTree = {};
  for (const action of actions) {
    const [, api = '', controller = '', name = ''] = ACTION.exec(action) ?? [];
    tree[api] ??= { controllers: {} };
    const controllers = tree[api].controllers;
    controllers[controller] ??= {};
    controllers[controller][name] = { enabled: held(action), policy: '' };
  }
  return tree;
};

const members = (value: unknown): [string, unknown][] => Object.entries(objectAt(value));

/** The actions that a tree in a request enables; anything malformed grants nothing. */
export const enabledActions = (tree: unknown): string[] =>
  members(tree).flatMap(([api, entry]) =>
    members(objectAt(entry)['controllers']).flatMap(([controller, names]) =>
      members(names)
        .filter(([, state]) => objectAt(state)['enabled'] === true)
        .map(([name]) => `${api}.${controller}.${name}`),
    ),
  );

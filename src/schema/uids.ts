/** The uids of the built-in content types. Permissions and locales are types only in Strapi. */
export const FILE_UID = 'plugin::upload.file';
export const USER_UID = 'plugin::users-permissions.user';
export const ROLE_UID = 'plugin::users-permissions.role';
export const ADMIN_UID = 'admin::user';
export const FOLDER_UID = 'plugin::upload.folder';
export const PERMISSION_UID = 'plugin::users-permissions.permission';
export const LOCALE_UID = 'plugin::i18n.locale';
